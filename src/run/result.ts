import type { JsonValue } from "../source/json.ts";
import type { Failure } from "./failure.ts";
import type { FamilyFigures, Figures } from "./figures/figures.ts";

/** The four ways a run ends. */
export type TerminalStatus = "succeeded" | "failed" | "cancelled" | "timed-out";

/**
 * How a run ended, as data: a failed run has a result like any other. `runs`, `turns`, `toolCalls`, `usage` and `cost` are
 * those of the run and all its descendants.
 */
export interface RunResult extends FamilyFigures {
  runId: string;
  status: TerminalStatus;
  /** The agent's last words; of a run that was stopped, what it had said so far. */
  text: string;
  /** Structured output, where the agent has an output schema. */
  output?: JsonValue;
  /** What the run alone took. */
  own: Figures;
  /** From creation to end, waiting included; the time in which no process had the run does not count. */
  durationMs: number;
  /** Present exactly when `status` is not `succeeded`. */
  failure?: Failure;
  /** What the caller should know although the run went on, such as a model fallback. */
  warnings: readonly string[];
}
