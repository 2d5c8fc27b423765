/**
 * The properties of a kind of agent that the parts above the formats ask for. What only one kind has, such as the parameters of a
 * pipeline or the Lua of an `.aip` file, is read where it is used.
 */
export interface AgentKind {
  /** The user's word for such an agent. */
  noun: "agent" | "recipe";
  /** The user's word for its file. */
  fileNoun: "definition" | "recipe";
  /** Whether a run executes code instead of asking a model in a loop. */
  isProgram: boolean;
  /** The code in its file, which a run executes without asking for permission; `null` = none. */
  code: AgentCode | null;
  /** Whether its task is made from values for its parameters. Other kinds get a task, which may replace a placeholder. */
  takesParameters: boolean;
  /** Whether values are filled into its definition before each run, so that no file has the definition of a run. */
  isFilled: boolean;
  /** Whether one run takes a list of inputs. */
  takesSeveralInputs: boolean;
  /** Whether its runs read their inputs themselves, in any form. Other programs get one table. */
  readsInputs: boolean;
  /** Whether it takes the options of AIPack: a model by its alias, temperature, concurrency. */
  takesAipOptions: boolean;
  /** Whether it cannot run with its parent's model in place of its own. */
  requiresOwnModel: boolean;
  /** Whether it inherits the temperature of a parent with the same model, as in goose. */
  inheritsTemperature: boolean;
  /** Whether it has the tools of its extensions in addition to its own and its caller's, as in goose. */
  addsTools: boolean;
  /** Whether agents may delegate to it. Users start the others. */
  isOffered: boolean;
}

/** The code of an agent. */
export interface AgentCode {
  /** The name that users read. */
  name: "program" | "Lua";
  /** Whether the definition has the code as its system prompt. If not, reading the file executes the code. */
  isStored: boolean;
}

/** An agent file of any format: a prompt for a model. */
const promptKind: AgentKind = {
  noun: "agent",
  fileNoun: "definition",
  isProgram: false,
  code: null,
  takesParameters: false,
  isFilled: false,
  takesSeveralInputs: false,
  readsInputs: false,
  takesAipOptions: false,
  requiresOwnModel: false,
  inheritsTemperature: false,
  addsTools: false,
  isOffered: true,
};

const recipe: AgentKind = {
  ...promptKind,
  noun: "recipe",
  fileNoun: "recipe",
  takesParameters: true,
  isFilled: true,
  inheritsTemperature: true,
  addsTools: true,
};

const aip: AgentKind = {
  ...promptKind,
  isProgram: true,
  code: { name: "Lua", isStored: true },
  takesSeveralInputs: true,
  readsInputs: true,
  takesAipOptions: true,
};

/** The prompt file of a pipeline. */
const prompt: AgentKind = {
  ...promptKind,
  isProgram: true,
  takesParameters: true,
  readsInputs: true,
  requiresOwnModel: true,
  // A coder would find its own pipeline among the agents.
  isOffered: false,
};

const program: AgentKind = {
  ...promptKind,
  isProgram: true,
  code: { name: "program", isStored: false },
};

const builtin: AgentKind = { ...promptKind, inheritsTemperature: true };

/** The kinds that differ from a prompt in an agent file, by the `format` of their source. */
const kinds: ReadonlyMap<string, AgentKind> = new Map(
  Object.entries({ recipe, aip, prompt, program, builtin }),
);

/** Returns the kind of an agent from its source. The source may be from a journal, and unknown formats are prompts. */
export function agentKindOf({ format }: { format: string }): AgentKind {
  return kinds.get(format) ?? promptKind;
}
