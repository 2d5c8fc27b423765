import type { BoardTask } from "./board.ts";

/** Names a run for lists, from its id. */
export type NameRun = (runId: string) => string;

/** Describes a task in one line: its id, status and title, and its holder or its open dependencies. */
export function describeTask(task: BoardTask, nameRun: NameRun): string {
  return `${task.id} [${describeStatus(task, nameRun)}] ${task.title}`;
}

function describeStatus({ status, claimedBy, waitsFor }: BoardTask, nameRun: NameRun): string {
  const by = claimedBy === undefined ? "" : ` by ${nameRun(claimedBy)}`;
  if (status !== "open") return `${status}${by}`;
  return waitsFor.length === 0 ? "open" : `waits for ${waitsFor.join(", ")}`;
}

/** Counts the tasks of a board, for example `2 of 5 done, 1 claimed, 2 open`. */
export function summarizeBoard(tasks: readonly Pick<BoardTask, "status">[]): string {
  const count = (status: BoardTask["status"]): number =>
    tasks.filter((task) => task.status === status).length;
  const parts = (["claimed", "open", "failed"] as const)
    .map((status) => ({ status, number: count(status) }))
    .filter(({ number }) => number > 0)
    .map(({ status, number }) => `${number} ${status}`);
  return [`${count("done")} of ${tasks.length} done`, ...parts].join(", ");
}
