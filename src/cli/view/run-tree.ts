import { cleanLine } from "../terminal/clean-text.ts";
import { distinguishTasks } from "./distinguish-tasks.ts";
import type { RunOverview, RunStatus } from "../../host.ts";

/** The number of runs folded into one row, by stage. */
export interface FoldedRuns {
  finished: number;
  failed: number;
  queued: number;
  active: number;
}

/** The row of a run in a tree. */
export interface RunRow {
  branch: string;
  run: RunOverview;
  /** The words of the task that distinguish a run from its siblings; absent for a run without a parent in the tree. */
  task?: string;
}

/** One line of a tree: a run, or several runs folded below their parent. */
export type TreeRow = RunRow | { branch: string; folded: FoldedRuns };

interface Forest {
  roots: readonly RunOverview[];
  childrenOf: (run: RunOverview) => readonly RunOverview[];
  /** See {@link RunRow.task}. */
  tasksOf: (run: RunOverview) => ReadonlyMap<string, string>;
}

/**
 * Lays `runs` out as trees of at most `maxRows` rows (default: no limit). When they do not fit, finished and queued runs are
 * folded into one row beside their siblings, then failed runs, then as many active runs as necessary.
 */
export function layOutTree(runs: readonly RunOverview[], maxRows: number = Infinity): TreeRow[] {
  const forest = createForest(runs);
  const isWorking = (run: RunOverview): boolean => stageOf(run.status) === "active";
  const isOver = (run: RunOverview): boolean => {
    const stage = stageOf(run.status);
    return stage === "finished" || stage === "queued";
  };
  const steps: ((run: RunOverview) => boolean)[] = [() => true, (run) => !isOver(run), isWorking];
  for (const isWanted of steps) {
    const rows = arrange(forest, isWanted);
    if (rows.length <= maxRows) return rows;
  }
  const working = runs.filter(isWorking).sort((left, right) => left.depth - right.depth);
  for (let count = Math.min(working.length, maxRows); count > 0; count -= 1) {
    const chosen = new Set(working.slice(0, count));
    const rows = arrange(forest, (run) => chosen.has(run));
    if (rows.length <= maxRows) return rows;
  }
  return arrange(forest, () => false).slice(0, Math.max(1, maxRows));
}

/** Describes a folded row: `… 83 finished, 5 queued`. */
export function describeFolded({ finished, failed, queued, active }: FoldedRuns): string {
  const counts: [number, string][] = [
    [active, "running"],
    [finished, "finished"],
    [failed, "failed"],
    [queued, "queued"],
  ];
  const words = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return `… ${words.join(", ")}`;
}

/** Returns the stage of a status. */
function stageOf(status: RunStatus): keyof FoldedRuns {
  switch (status) {
    case "queued":
    case "waiting":
      return "queued";
    case "running":
    case "awaiting-approval":
      return "active";
    case "succeeded":
      return "finished";
    case "failed":
    case "cancelled":
    case "timed-out":
      return "failed";
  }
}

function createForest(runs: readonly RunOverview[]): Forest {
  const known = new Set(runs.map(({ id }) => id));
  const isRoot = ({ parentId }: RunOverview): boolean => parentId === null || !known.has(parentId);
  const children = Map.groupBy(
    runs.filter((run) => !isRoot(run)),
    ({ parentId }) => parentId,
  );
  const tasks = new Map<string, ReadonlyMap<string, string>>();
  return {
    roots: runs.filter(isRoot),
    childrenOf: ({ id }) => children.get(id) ?? [],
    tasksOf({ id }) {
      const named = tasks.get(id) ?? nameTasks(children.get(id) ?? []);
      tasks.set(id, named);
      return named;
    },
  };
}

/** Returns words of the siblings' tasks, by id; runs with the same agent and label get different words. */
function nameTasks(siblings: readonly RunOverview[]): ReadonlyMap<string, string> {
  const groups = Map.groupBy(siblings, ({ agent, label }) => JSON.stringify([agent, label]));
  const named = [...groups.values()].flatMap((runs) => {
    const tasks = distinguishTasks(runs.map(({ task }) => cleanLine(task)));
    return runs.map(({ id }, index): [string, string] => [id, tasks[index] ?? ""]);
  });
  return new Map(named);
}

/** Returns rows for the roots and for each wanted run whose parent has a row. */
function arrange(forest: Forest, isWanted: (run: RunOverview) => boolean): TreeRow[] {
  const below = (run: RunOverview, indent: string): TreeRow[] => {
    const children = forest.childrenOf(run);
    const shown = children.filter(isWanted);
    const hidden = children.filter((child) => !isWanted(child));
    const rows: TreeRow[] = [];
    for (const child of shown) {
      const isLast = hidden.length === 0 && child === shown.at(-1);
      const branch = `${indent}${isLast ? "└─ " : "├─ "}`;
      rows.push({ branch, run: child, task: forest.tasksOf(run).get(child.id) ?? "" });
      rows.push(...below(child, `${indent}${isLast ? "   " : "│  "}`));
    }
    if (hidden.length === 0) return rows;
    const folded = hidden.flatMap((child) => withDescendants(forest, child));
    return [...rows, { branch: `${indent}└─ `, folded: countRuns(folded) }];
  };
  return forest.roots.flatMap((run) => [{ branch: "", run }, ...below(run, "")]);
}

function withDescendants(forest: Forest, run: RunOverview): RunOverview[] {
  return [run, ...forest.childrenOf(run).flatMap((child) => withDescendants(forest, child))];
}

function countRuns(runs: readonly RunOverview[]): FoldedRuns {
  const counts: FoldedRuns = { finished: 0, failed: 0, queued: 0, active: 0 };
  for (const { status } of runs) counts[stageOf(status)] += 1;
  return counts;
}
