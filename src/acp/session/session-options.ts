import type { Choice, ChoiceValue } from "../editor/choice.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import {
  type Budget,
  CadreError,
  type ContinueOptions,
  type OfferedModel,
  permissionModes,
  type PermissionMode,
} from "../../host.ts";

/** The user's choices for a session. An absent choice is as configured. */
export interface SessionChoices {
  mode?: PermissionMode;
  /** The short name of a model. */
  model?: string;
  /** The name of a budget. */
  budget?: string;
  agent: string;
}

const descriptions: Readonly<Record<PermissionMode, string>> = {
  plan: "Only reads, and says what it would do",
  "read-only": "Reads only",
  deny: "Does only what the rules allow",
  ask: "Asks before edits and commands",
  "accept-edits": "Edits files without asking",
  auto: "Asks nothing that the rules do not forbid",
};

/** The sources of a session's choices. */
export interface ChoiceSources {
  /** The mode in effect. */
  mode: PermissionMode;
  agents: readonly { name: string; description?: string | undefined }[];
  models: readonly OfferedModel[];
}

/** Describes the settings of a session: the mode, and the agent, model and budget of the next turns. */
export function describeChoices(
  { agent, model = asConfigured, budget = asConfigured }: SessionChoices,
  { mode, agents, models }: ChoiceSources,
): Choice[] {
  const modes = permissionModes.map((value) => option(value, value, descriptions[value]));
  const names = agents.map(({ name, description }) => option(name, name, description));
  const known = models.map((one) => option(one.alias, one.alias, one.model));
  const amounts = Object.entries(budgets).map(([value, one]) => option(value, one.name));
  const standard = option(asConfigured, "As configured");
  return [
    { id: "mode", name: "Mode", category: "mode", current: mode, values: modes },
    { id: "agent", name: "Agent", current: agent, values: names },
    {
      id: "model",
      name: "Model",
      category: "model",
      current: model,
      values: [standard, ...known],
    },
    {
      id: "budget",
      name: "Budget of a turn",
      current: budget,
      values: [standard, ...amounts],
    },
  ];
}

/**
 * Changes a choice of a session. The caller changes the mode with `setMode`.
 *
 * @throws CadreError `invalid-argument` for a value that is not offered.
 */
export function changeChoice(
  choices: SessionChoices,
  { choice, value }: { choice: string; value: string },
  offered: readonly Choice[],
): void {
  const found = offered.find(({ id }) => id === choice);
  if (found === undefined) {
    throw wrongValue("configId", `one of ${offered.map(({ id }) => id).join(", ")}`, choice);
  }
  const values = found.values.map((one) => one.value);
  if (!values.includes(value)) throw wrongValue("value", `one of ${values.join(", ")}`, value);
  if (choice === "agent") choices.agent = value;
  else if (choice === "model") choices.model = value;
  else choices.budget = value;
}

/** Returns the request fields for the user's choices. */
export function chosenFields({
  agent,
  model = asConfigured,
  budget = asConfigured,
}: SessionChoices): Pick<ContinueOptions, "agent" | "model" | "budget"> {
  const limits = budgets[budget]?.budget;
  return {
    agent,
    ...(model !== asConfigured && { model }),
    ...omitUndefined({ budget: limits }),
  };
}

/** Returns the error for a field with an unexpected value. */
export function wrongValue(field: string, expected: string, came: string): CadreError {
  return new CadreError(
    "invalid-argument",
    `Expected \`${field}\` to be ${expected}; got ${came}.`,
  );
}

const asConfigured = "default";

/** The budgets of one turn with its sub-agents. */
const budgets: Readonly<Record<string, { name: string; budget: Budget }>> = {
  "usd-1": { name: "1 US dollar", budget: { usd: 1 } },
  "usd-5": { name: "5 US dollars", budget: { usd: 5 } },
  "usd-20": { name: "20 US dollars", budget: { usd: 20 } },
  "tokens-200000": { name: "200,000 tokens", budget: { tokens: 200_000 } },
  "tokens-1000000": { name: "1,000,000 tokens", budget: { tokens: 1_000_000 } },
};

function option(value: string, name: string, description?: string): ChoiceValue {
  return { value, name, description };
}
