import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import type { KeyPath } from "../../source/position.ts";
import { describeJson } from "./describe-json.ts";
import { type AgentConfig, type EntryFinding, normalizeEntries } from "./entry.ts";

/** A valid entry and its place in the parameters. */
export interface ListedAgent {
  config: AgentConfig;
  keys: KeyPath;
}

/** The agents of a pipeline in declaration order, and the findings of their entries. */
export interface AgentList {
  agents: ListedAgent[];
  /** The places begin with the name of the parameter. */
  findings: EntryFinding[];
}

/** The built-in agent that `auto_context` is a shortcut for. */
const shortcutAgent = "auto-context";

/**
 * Lists the agents of a prompt file: those of `sub_agents`, preceded by the one that `auto_context` is a shortcut for, as in
 * pro@coder.
 */
export function listAgents(params: JsonObject): AgentList {
  const written = params["sub_agents"];
  const { findings } = normalizeEntries(written);
  const list: AgentList = { agents: [], findings: below("sub_agents", findings) };
  const entries: readonly JsonValue[] = Array.isArray(written) ? written : [];
  for (const [index, entry] of entries.entries()) {
    const keys = ["sub_agents", index];
    list.agents.push(...normalizeEntries([entry]).configs.map((config) => ({ config, keys })));
  }
  // An explicit entry takes the options it lacks from the parameter at run time.
  const isListed = list.agents.some(({ config }) => config.name === shortcutAgent);
  return isListed ? list : addShortcut(params["auto_context"] ?? false, list);
}

function addShortcut(short: JsonValue, { agents, findings }: AgentList): AgentList {
  const keys = ["auto_context"];
  const entry = toEntry(short);
  if (entry === null) return { agents, findings };
  if (entry === undefined) {
    const message = `Expected the name of a model, or a table; got ${describeJson(short)}.`;
    const wrong = { keys, severity: "error", code: "entry-shape", message, fix: null } as const;
    return { agents, findings: [wrong, ...findings] };
  }
  const added = normalizeEntries([entry]);
  const found = added.findings.map((one) => ({ ...one, keys: one.keys.slice(1) }));
  return {
    agents: [...added.configs.map((config) => ({ config, keys })), ...agents],
    findings: [...below("auto_context", found), ...findings],
  };
}

/** Returns the entry of the shortcut; `null` when it is off, `undefined` when it is invalid. */
function toEntry(short: JsonValue): JsonObject | null | undefined {
  if (short === false) return null;
  if (short === true) return { name: shortcutAgent };
  if (typeof short === "string") return { name: shortcutAgent, model: short };
  return isRecord(short) ? { ...short, name: shortcutAgent } : undefined;
}

function below(parameter: string, findings: readonly EntryFinding[]): EntryFinding[] {
  return findings.map((finding) => ({ ...finding, keys: [parameter, ...finding.keys] }));
}
