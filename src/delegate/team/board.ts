// Teams: the runs of a family that send each other messages and share a task board.

import { omitUndefined } from "../../omit-undefined.ts";
import type { BoardChange } from "../../run/shared/board-change.ts";
import { didYouMean } from "../../source/nearest.ts";
import { sortGraph } from "../graph/sort-graph.ts";

/** The statuses of a task on a board. */
export const boardTaskStatuses = ["open", "claimed", "done", "failed"] as const;

/** The status of a task on a board. An `open` task can be claimed once its dependencies are done. */
export type BoardTaskStatus = (typeof boardTaskStatuses)[number];

/** A task on the board of a team. Plain JSON. */
export interface BoardTask {
  id: string;
  /** One line. */
  title: string;
  details?: string;
  /** The ids of the tasks that must be done first. */
  dependsOn: readonly string[];
  /** The dependencies that are not done. */
  waitsFor: readonly string[];
  status: BoardTaskStatus;
  /** The id of the run that added it. */
  addedBy: string;
  /** The id of the run that works on the task or ended it. */
  claimedBy?: string;
  /** The result that the run that ended the task left for the others. */
  result?: string;
}

/** The maximum number of tasks on a board. */
const maxBoardTasks = 1000;

/** The task board of a team: the result of its changes, in order. */
export interface Board {
  tasks(): BoardTask[];
  find(id: string): BoardTask | undefined;
  /** Returns the tasks that can be claimed, oldest first. */
  free(): BoardTask[];
  /** Returns the task that `runId` works on: the task `id`, or without it the oldest one. */
  heldBy(runId: string, id?: string): BoardTask | undefined;
  /** Returns why `runId` cannot make the change, for its model; `undefined` when it can. */
  problemOf(change: BoardChange, runId: string): string | undefined;
  /** Applies a change that {@link Board.problemOf} accepted. An impossible change from a damaged journal has no effect. */
  apply(change: BoardChange, runId: string): void;
  /** Reopens the unfinished tasks of a run that has ended. */
  release(runId: string): void;
}

/** The stored part of a task. */
type StoredTask = Omit<BoardTask, "waitsFor">;

/** Creates an empty board. */
export function createBoard(): Board {
  const tasks = new Map<string, StoredTask>();
  const show = (task: StoredTask): BoardTask => ({
    ...task,
    waitsFor: task.dependsOn.filter((id) => tasks.get(id)?.status !== "done"),
  });

  function change(id: string, changes: Partial<StoredTask>): void {
    const task = tasks.get(id);
    if (task !== undefined) tasks.set(id, { ...task, ...changes });
  }

  function open(id: string): void {
    const task = tasks.get(id);
    if (task === undefined) return;
    const { claimedBy: _, result: __, ...rest } = task;
    tasks.set(id, { ...rest, status: "open" });
  }

  const board: Board = {
    tasks: () => [...tasks.values()].map(show),
    find(id) {
      const task = tasks.get(id);
      return task && show(task);
    },
    free: () => board.tasks().filter(isFree),
    heldBy: (runId, id) =>
      board
        .tasks()
        .filter((task) => id === undefined || task.id === id)
        .find(({ status, claimedBy }) => status === "claimed" && claimedBy === runId),
    problemOf: (asked, runId) => findProblem(board, asked, runId),
    apply(asked, runId) {
      if (asked.kind === "add") {
        for (const { dependsOn = [], ...task } of asked.tasks) {
          tasks.set(task.id, { ...task, dependsOn, status: "open", addedBy: runId });
        }
      } else if (asked.kind === "claim") {
        change(asked.task, { status: "claimed", claimedBy: runId });
      } else {
        const { task, status, result, dependsOn } = asked;
        if (status === "open") open(task);
        else if (status !== undefined) change(task, { status, claimedBy: runId });
        change(task, omitUndefined({ result, dependsOn }));
      }
    },
    release(runId) {
      for (const { id, status, claimedBy } of tasks.values()) {
        if (status === "claimed" && claimedBy === runId) open(id);
      }
    },
  };
  return board;
}

function isFree({ status, waitsFor }: BoardTask): boolean {
  return status === "open" && waitsFor.length === 0;
}

function findProblem(board: Board, change: BoardChange, runId: string): string | undefined {
  if (change.kind === "add") return findAddProblem(board, change.tasks);
  const task = board.find(change.task);
  if (task === undefined) return unknownTask(board, change.task);
  return change.kind === "claim"
    ? findClaimProblem(task)
    : findUpdateProblem(board, task, change, runId);
}

function findAddProblem(
  board: Board,
  added: Extract<BoardChange, { kind: "add" }>["tasks"],
): string | undefined {
  const known = board.tasks();
  if (known.length + added.length > maxBoardTasks) {
    return `A board has at most ${maxBoardTasks} tasks; this one already has ${known.length}.`;
  }
  const ids = new Set(known.map(({ id }) => id));
  for (const { id } of added) {
    if (ids.has(id)) return `There is already a task ${id}. Choose another id.`;
    ids.add(id);
  }
  const all = [...known, ...added.map(({ id, dependsOn = [] }) => ({ id, dependsOn }))];
  return findDependencyProblem(all);
}

function findClaimProblem({ id, status, claimedBy, waitsFor }: BoardTask): string | undefined {
  if (status === "done" || status === "failed") return `Task ${id} is ${status}.`;
  if (status === "claimed") {
    return `Task ${id} is taken: run ${claimedBy} works on it. Claim another one.`;
  }
  return waitsFor.length === 0
    ? undefined
    : `Task ${id} cannot be claimed before these are done: ${waitsFor.join(", ")}.`;
}

function findUpdateProblem(
  board: Board,
  { id, status, claimedBy, addedBy }: BoardTask,
  change: Extract<BoardChange, { kind: "update" }>,
  runId: string,
): string | undefined {
  if (claimedBy !== runId && addedBy !== runId) {
    const holder = claimedBy === undefined ? "" : `, or that works on it (${claimedBy})`;
    return `Only the run that added task ${id} (${addedBy})${holder} can change it. Claim it first, or send that run a message.`;
  }
  const { status: wanted, dependsOn } = change;
  if (status === "done" && (wanted !== "open" || addedBy !== runId)) {
    return `Task ${id} is done. Only the run that added it can open it again.`;
  }
  if (dependsOn === undefined) return undefined;
  const others = board.tasks().filter((task) => task.id !== id);
  return findDependencyProblem([...others, { id, dependsOn }]);
}

function findDependencyProblem(
  tasks: readonly { id: string; dependsOn: readonly string[] }[],
): string | undefined {
  const ids = new Set(tasks.map(({ id }) => id));
  for (const { id, dependsOn } of tasks) {
    const unknown = dependsOn.find((one) => !ids.has(one));
    if (unknown !== undefined) {
      return `Task ${id} depends on ${unknown}, which is not on the board.${didYouMean(unknown, [...ids])}`;
    }
  }
  const order = sortGraph(tasks.map(({ id, dependsOn }) => ({ name: id, after: dependsOn })));
  if (!("cycle" in order)) return undefined;
  return `These tasks would wait for each other: ${order.cycle.join(" -> ")}.`;
}

/** Says that there is no such task, and lists the tasks. */
export function unknownTask(board: Pick<Board, "tasks">, id: string): string {
  const ids = board.tasks().map((task) => task.id);
  const list = ids.length === 0 ? "The board is empty." : `Tasks: ${ids.slice(-50).join(", ")}.`;
  return `There is no task ${id} on the board.${didYouMean(id, ids)} ${list}`;
}
