import { type BoardTask, describeTask, type RunOverview } from "../../host.ts";
import { runName } from "./tree-line.ts";

/** Returns a row for each task of a board: its id, its status with the run that claimed it, and its title. */
export function boardRows(tasks: readonly BoardTask[], runs: readonly RunOverview[]): string[] {
  const names = new Map(runs.map((run) => [run.id, runName(run)]));
  return tasks.map((task) => describeTask(task, (id) => names.get(id) ?? id));
}
