import type { CreateEngine } from "../../engine.ts";
import { createDispatchedEngine } from "../dispatched-engine.ts";
import { readLabel } from "../read-label.ts";
import { connectDbos } from "./connect-dbos.ts";

/** Options of {@link dbos}. */
export interface DbosOptions {
  /** Only workers with this label execute the runs. Default: workers without one. */
  label?: string;
}

/**
 * Returns the engine whose root runs are executed by workers, for the option `engine` of `createCadre`. The registry must be one in
 * PostgreSQL. A run's result, events, messages and questions are those of any run that another process executes.
 *
 * @throws CadreError `invalid-argument` for a label that is none.
 */
export function dbos(options: DbosOptions = {}): CreateEngine {
  return createDispatchedEngine({ connect: connectDbos, label: readLabel(options.label) });
}
