import type { JsonValue } from "../source/json.ts";

/** What an agent reports while it works, as far as Cadre needs it. */
export type AgentUpdate =
  /** A part of what it says. Parts of another message begin a new text. */
  | { type: "text"; text: string; message: string | null }
  | { type: "call"; call: AgentCall }
  | { type: "plan"; entries: PlanEntry[] }
  /** What its session cost so far, in US dollars. */
  | { type: "cost"; usd: number }
  /** Whether what it said last is an error of its own; few say so. */
  | { type: "health"; isBroken: boolean }
  /** Anything else: it is alive. */
  | { type: "sign" };

/** A step of the agent's plan. */
export interface PlanEntry {
  content: string;
  status: string;
}

/** What is known of one call of its tools: the first report of it, or what changed. */
export interface AgentCall {
  id: string;
  /** One line for people, such as `Edit src/index.ts`. */
  title?: string;
  /** The tool's own name. */
  name?: string;
  /** What it does, such as `read`, `edit` or `execute`. */
  kind?: string;
  status?: "pending" | "in_progress" | "completed" | "failed";
  /** What came out, as text. */
  text?: string;
  /** A part of what came out, behind the parts of earlier reports. */
  part?: string;
  /** Files it is about, as written. */
  paths?: readonly string[];
  /** Files it changes, as written. */
  changed?: readonly string[];
  input?: JsonValue;
  /** It shows a terminal, in which a command runs. */
  hasTerminal?: true;
}
