import type { JsonValue } from "../source/json.ts";

/** A report of an active agent, reduced to the parts that Cadre needs. */
export type AgentUpdate =
  /** A part of the agent's text. A part of another message begins a new text. */
  | { type: "text"; text: string; message: string | null }
  | { type: "call"; call: AgentCall }
  | { type: "plan"; entries: PlanEntry[] }
  /** The cost of its session so far, in US dollars. */
  | { type: "cost"; usd: number }
  /** Whether its last text is an error message, as some agents report. */
  | { type: "health"; isBroken: boolean }
  /** Any other report, which shows that the agent is alive. */
  | { type: "sign" };

/** A step of the agent's plan. */
export interface PlanEntry {
  content: string;
  status: string;
}

/** A report of one tool call: the first one, or the changes since. */
export interface AgentCall {
  id: string;
  /** One line for display, such as `Edit src/index.ts`. */
  title?: string;
  /** The tool's own name. */
  name?: string;
  /** The kind of call, such as `read`, `edit` or `execute`. */
  kind?: string;
  status?: "pending" | "in_progress" | "completed" | "failed";
  /** The output as text. */
  text?: string;
  /** A part of the output, which follows the parts of earlier reports. */
  part?: string;
  /** The files it names, as the agent wrote them. */
  paths?: readonly string[];
  /** The files it changes, as the agent wrote them. */
  changed?: readonly string[];
  input?: JsonValue;
  /** The call shows a terminal in which a command runs. */
  hasTerminal?: true;
}
