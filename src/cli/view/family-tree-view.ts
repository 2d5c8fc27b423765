import type { Display } from "./display.ts";
import { stylesOf } from "./agent-style.ts";
import { layOutTree, type TreeRow } from "./run-tree.ts";
import { describeTotal } from "./summary.ts";
import { formatTreeRow, type TreeLineOptions } from "./tree-line.ts";
import type { Style } from "../terminal/paint.ts";
import { addUpRuns, type Run, type RunOverview, toRunOverviews } from "../../host.ts";

const keptCharacters = 200;

/** The known runs of families, and the way they are drawn. */
export interface FamilyTreeView extends Required<
  Pick<Display, "take" | "event" | "activity" | "colorAgents">
> {
  /** Lays the runs out as rows of a tree, at most `maxRows`. */
  rows(maxRows: number): TreeRow[];
  /** Draws one row in at most `columns` columns. */
  draw(row: TreeRow, options: RowOptions): string;
  /** Returns the line with the totals of all runs; `undefined` for fewer than two runs. */
  total(): string | undefined;
  /** Forgets all runs. */
  clear(): void;
  /** Returns the number of changes so far. */
  changes(): number;
}

/** The position and style of a row. */
export type RowOptions = Pick<TreeLineOptions, "columns" | "paint" | "inConversation">;

/** Creates an empty view. */
export function createFamilyTreeView(): FamilyTreeView {
  const runs = new Map<string, Run>();
  const lastTexts = new Map<string, string>();
  let styles: ReadonlyMap<string, Style> = new Map();
  let changes = 0;
  let known: { at: number; overviews: RunOverview[] } | undefined;
  /** Returns the overviews. All drawings of one state share one computation. */
  function overviews(): RunOverview[] {
    if (known?.at !== changes)
      known = { at: changes, overviews: toRunOverviews([...runs.values()]) };
    return known.overviews;
  }
  return {
    changes: () => changes,
    take(family) {
      changes += 1;
      for (const run of family) {
        const before = runs.get(run.id);
        // The family keeps its order, whichever run reports first.
        runs.delete(run.id);
        runs.set(run.id, before === undefined || before.lastSeq < run.lastSeq ? run : before);
      }
    },
    event(event, run) {
      changes += 1;
      runs.set(run.id, run);
      lastTexts.delete(event.runId);
      // The warning explains why the run waits, such as for a run whose process is gone.
      if (event.type === "warning-raised" && run.status === "waiting") {
        lastTexts.set(run.id, event.message);
      }
    },
    colorAgents(agents) {
      changes += 1;
      styles = stylesOf(agents);
    },
    activity({ runId, type, text }) {
      if (type !== "text" && type !== "progress") return;
      const before = type === "text" ? (lastTexts.get(runId) ?? "") : "";
      changes += 1;
      // Not trimmed: a chunk may begin or end with a space. Drawing cleans the text.
      lastTexts.set(runId, (before + text).slice(-keptCharacters).toWellFormed());
    },
    rows: (maxRows) => layOutTree(overviews(), Math.max(1, maxRows)),
    draw: (row, options) =>
      formatTreeRow(row, {
        ...options,
        now: Date.now(),
        styles,
        // An empty text means that the run has said nothing since.
        lastText: (id) => lastTexts.get(id) || undefined,
        find: (id) => runs.get(id),
      }),
    total() {
      const all = overviews();
      return all.length < 2 ? undefined : describeTotal(addUpRuns(all));
    },
    clear() {
      changes += 1;
      runs.clear();
      lastTexts.clear();
    },
  };
}
