import type { JsonObject, JsonValue } from "../../src/source/json.ts";
import type { CompletionCall } from "../fixtures/chat-completion.ts";
import { type ModelServer, type ServerTurn, startModelServer } from "../fixtures/model-server.ts";

/** The same recipe, run by goose and by Cadre with a model that gives the same replies. Its prompt is `Lead.`. */
export interface RunCase {
  name: string;
  /** The text after `version`, `title`, `description` and `prompt`. */
  recipe: string;
  /** Files beside the recipe. */
  files?: Readonly<Record<string, string>>;
  /** The model's replies to the recipe's agent, in order; afterwards, and to other agents, `done`. */
  says?: readonly Saying[];
  /** The outcome in goose 1.52. */
  goose: Partial<RunFacts>;
  /** The differences in Cadre. */
  cadre?: Partial<RunFacts>;
  why?: string;
}

/** A text, a call of a sub-recipe, or the structured answer. */
export type Saying =
  | string
  | { subRecipe: string; parameters?: JsonObject }
  | { answer: JsonObject };

/** The visible outcome of a run. */
export interface RunFacts {
  isSuccess: boolean;
  /** The number of model requests of the recipe's agent. */
  asked: number;
  /** The servers whose tools the agent was offered. */
  servers: readonly string[];
  /** The tasks of the agent's sub-agents, in order. */
  children: readonly string[];
  /** The result of the first call of a sub-recipe. */
  outcome: "result" | "error" | "nothing";
  output: JsonValue;
  /** The lines that the commands of `retry` wrote into `log`. */
  log: readonly string[];
}

/** The defaults of an outcome. */
export const usual: RunFacts = {
  isSuccess: true,
  asked: 1,
  servers: [],
  children: [],
  outcome: "nothing",
  output: null,
  log: [],
};

/** Returns the text of a case's recipe. */
export function leadOf({ recipe }: RunCase): string {
  return `version: 1.0.0\ntitle: T\ndescription: d\nprompt: Lead.\n${recipe}`;
}

/** Starts the model of a case. `toCalls` converts its replies to the tools of the client. */
export async function startModel(
  { says = [] }: RunCase,
  toCalls: (saying: Exclude<Saying, string>) => CompletionCall,
): Promise<ModelServer> {
  let asked = 0;
  return await startModelServer((turn) => {
    if (!isLead(turn)) return "done";
    const saying = says[asked] ?? "done";
    asked += 1;
    return typeof saying === "string" ? saying : [toCalls(saying)];
  });
}

/** Returns a run as its model saw it. */
export function readTurns(
  { says = [] }: RunCase,
  { turns }: ModelServer,
): Pick<RunFacts, "asked" | "servers" | "children" | "outcome"> {
  const lead = turns.filter(isLead);
  const others = turns.filter((turn) => !isLead(turn) && turn.turn === 0);
  const tools = lead[0]?.tools ?? [];
  const hasCalled = says.some((saying) => typeof saying !== "string" && "subRecipe" in saying);
  const result = lead.find(({ turn }) => turn === 1)?.last.join() ?? "";
  return {
    asked: lead.length,
    servers: tools.flatMap((tool) => /^(?:mcp__)?(\w+?)__echo$/.exec(tool)?.[1] ?? []),
    children: others.map(taskOf),
    outcome: hasCalled ? (result.startsWith("done") ? "result" : "error") : "nothing",
  };
}

function isLead(turn: ServerTurn): boolean {
  return taskOf(turn).startsWith("Lead.");
}

/** Returns a task without the text that goose adds around it. */
function taskOf({ task }: ServerTurn): string {
  return task
    .replace(/^Subagent ID: \S+/, "")
    .replace(/<turn-context>[^]*$/, "")
    .trim();
}
