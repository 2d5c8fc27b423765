import type { JsonValue } from "../source/json.ts";
import type { Failure } from "./failure.ts";
import type { Usage } from "./usage.ts";

/** The four ways a run ends. */
export type TerminalStatus = "succeeded" | "failed" | "cancelled" | "timed-out";

/** How a run ended, as data: a failed run has a result like any other. */
export interface RunResult {
  runId: string;
  status: TerminalStatus;
  /** The agent's last words; of a run that was stopped, what it had said so far. */
  text: string;
  /** Structured output, where the agent has an output schema. */
  output?: JsonValue;
  /** Tokens of this run alone; a tree adds up its descendants. */
  usage: Usage;
  /** US dollars of this run alone; `null` when a price is unknown. */
  cost: number | null;
  /** Model steps taken. */
  turns: number;
  /** From creation to end, waiting included; the time in which no process had the run does not count. */
  durationMs: number;
  /** Present exactly when `status` is not `succeeded`. */
  failure?: Failure;
  /** What the caller should know although the run went on, such as a model fallback. */
  warnings: readonly string[];
}
