import type { JsonValue } from "../source/json.ts";

/** A report of an active agent, reduced to the parts that Cadre needs. */
export type AgentUpdate =
  /** A part of the agent's text. A part of another message begins a new text. */
  | { type: "text"; text: string; message: string | null }
  | { type: "call"; call: AgentCall }
  | { type: "plan"; entries: PlanEntry[] }
  /** The cost of the agent's session so far, in US dollars. */
  | { type: "cost"; usd: number }
  /** Whether the agent's last text is an error message, as some agents report. */
  | { type: "health"; isBroken: boolean }
  /** Any other report; it shows that the agent is alive. */
  | { type: "other" };

/** A step of the agent's plan. */
export interface PlanEntry {
  content: string;
  status: string;
}

/** A report on one tool call: the first report, or the changes since the previous one. */
export interface AgentCall {
  id: string;
  /** One line for display, such as `Edit src/index.ts`. */
  title?: string;
  /** The name of the tool. */
  name?: string;
  /** The kind of call, such as `read`, `edit` or `execute`. */
  kind?: string;
  status?: "pending" | "in_progress" | "completed" | "failed";
  /** The output as text. */
  text?: string;
  /** A part of the output that follows the parts of earlier reports. */
  part?: string;
  /** The files that the call names, as the agent wrote them. */
  paths?: readonly string[];
  /** The files that the call changes, as the agent wrote them. */
  changed?: readonly string[];
  input?: JsonValue;
  /** Whether the call shows a terminal in which a command runs. */
  hasTerminal?: true;
}
