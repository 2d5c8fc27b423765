import type { Display } from "./display.ts";
import { stylesOf } from "./agent-style.ts";
import { layOutTree, type TreeRow } from "./run-tree.ts";
import { describeTotal } from "./summary.ts";
import { formatTreeRow, type TreeLineOptions } from "./tree-line.ts";
import type { Style } from "../terminal/paint.ts";
import { addUpRuns, type Run, type RunOverview, toRunOverviews } from "../../host.ts";

const heardCharacters = 200;

/** The runs of families as they are known so far, and how they are drawn. */
export interface FamilyView extends Required<
  Pick<Display, "take" | "event" | "activity" | "colorAgents">
> {
  /** Lays the runs out as rows of a tree, at most `maxRows`. */
  rows(maxRows: number): TreeRow[];
  /** Draws one row in at most `columns` columns. */
  draw(row: TreeRow, options: RowOptions): string;
  /** The line with the totals of all runs; `undefined` for fewer than two. */
  total(): string | undefined;
  /** Forgets all runs. */
  clear(): void;
  /** Counts the changes of what is shown. */
  changes(): number;
}

/** Where a row is drawn. */
export type RowOptions = Pick<TreeLineOptions, "columns" | "paint" | "inConversation">;

/** Creates the view of no runs. */
export function createFamilyView(): FamilyView {
  const runs = new Map<string, Run>();
  const heard = new Map<string, string>();
  let styles: ReadonlyMap<string, Style> = new Map();
  let changes = 0;
  let known: { at: number; overviews: RunOverview[] } | undefined;
  /** Adding up is done once for all that is drawn of a state. */
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
        // Keeps the order of the family, whichever run reported first.
        runs.delete(run.id);
        runs.set(run.id, before === undefined || before.lastSeq < run.lastSeq ? run : before);
      }
    },
    event(event, run) {
      changes += 1;
      runs.set(run.id, run);
      heard.delete(event.runId);
      // The warning of a waiting run says why it waits: for a run whose process is gone.
      if (event.type === "warning-raised" && run.status === "waiting") {
        heard.set(run.id, event.message);
      }
    },
    colorAgents(agents) {
      changes += 1;
      styles = stylesOf(agents);
    },
    activity({ runId, type, text }) {
      if (type !== "text" && type !== "progress") return;
      const before = type === "text" ? (heard.get(runId) ?? "") : "";
      changes += 1;
      // Unchanged, because a chunk may begin or end with a space. Drawing cleans it.
      heard.set(runId, (before + text).slice(-heardCharacters).toWellFormed());
    },
    rows: (maxRows) => layOutTree(overviews(), Math.max(1, maxRows)),
    draw: (row, options) =>
      formatTreeRow(row, {
        ...options,
        now: Date.now(),
        styles,
        // What was said is over when nothing more is.
        heard: (id) => heard.get(id) || undefined,
        find: (id) => runs.get(id),
      }),
    total() {
      const all = overviews();
      return all.length < 2 ? undefined : describeTotal(addUpRuns(all));
    },
    clear() {
      changes += 1;
      runs.clear();
      heard.clear();
    },
  };
}
