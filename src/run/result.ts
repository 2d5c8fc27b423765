import type { JsonValue } from "../source/json.ts";
import type { Failure } from "./failure.ts";
import type { FamilyFigures, Figures } from "./figures.ts";

/** The final statuses of a run. */
export const terminalStatuses = ["succeeded", "failed", "cancelled", "timed-out"] as const;

/** The status of a run that has ended. */
export type TerminalStatus = (typeof terminalStatuses)[number];

/**
 * The result of a run, successful or not; `Output` is the type of its output. `runs`, `turns`, `toolCalls`, `usage` and `cost` include all descendants.
 */
export interface RunResult<Output = unknown> extends FamilyFigures {
  runId: string;
  status: TerminalStatus;
  /** The agent's final text; for a stopped run, its text so far. */
  text: string;
  /** The structured output of an agent with an output schema. */
  output?: Output;
  /** The figures of the run alone. */
  own: Figures;
  /**
   * Milliseconds to the end, from the end of its dependencies or, without any, from creation. Includes waits for a slot, for
   * children and for answers. Excludes the time in which no process owned the run.
   */
  durationMs: number;
  /** Present exactly when `status` is not `succeeded`. */
  failure?: Failure;
  /** Problems that did not stop the run, such as a model fallback. */
  warnings: readonly string[];
}

/** A result as recorded in the journal. */
export type RecordedResult = RunResult<JsonValue>;
