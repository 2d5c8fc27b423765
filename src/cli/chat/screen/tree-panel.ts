import {
  type Component,
  type KeyId,
  matchesKey,
  truncateToWidth,
  type TUI,
} from "@earendil-works/pi-tui";
import { createFamilyTreeView, type FamilyTreeView } from "../../view/family-tree-view.ts";
import type { TreeRow } from "../../view/run-tree.ts";
import type { Paint } from "../../terminal/paint.ts";
import type { RunOverview } from "../../../host.ts";

/** The minimum number of rows of the tree, and the part of the screen that it may take. */
const size = { least: 4, part: 0.3, focusedPart: 0.6 } as const;

/** The actions of the keys on the tree. */
export interface TreeActions {
  /** Shows the conversation of a run. */
  open(run: RunOverview): void;
  cancel(run: RunOverview): void;
  retry(run: RunOverview): void;
  /** Begins a command that raises the limits of a run. */
  raise(run: RunOverview): void;
  /** Gives the keys back to the input. */
  leave(): void;
}

/** The live tree of the turn, in which the user can select a run. */
export interface TreePanel {
  readonly component: Component;
  readonly family: FamilyTreeView;
  /** Focuses the tree. Returns `false` when it has no run to select. */
  focus(): boolean;
}

/** Options of {@link createTreePanel}. */
export interface TreePanelOptions {
  tui: TUI;
  paint: Paint;
  /** Whether another part needs the space. */
  isCrowded: () => boolean;
  actions: TreeActions;
}

const keys = "Enter opens · x cancels · r retries · b more budget · Esc back";

/** Creates an empty tree. */
export function createTreePanel({ tui, paint, isCrowded, actions }: TreePanelOptions): TreePanel {
  const family = createFamilyTreeView();
  let isFocused = false;
  let selected: string | undefined;
  /** The lines of the last rendering and the state they depend on. One drawing renders a part several times. */
  let drawn: { of: string; lines: string[] } | undefined;

  const most = (): number => maxRows(tui.terminal.rows, { isFocused, isCrowded: isCrowded() });

  /** Returns all rows while the user selects a run, or else as many as fit. */
  const rows = (): TreeRow[] => family.rows(isFocused ? Infinity : most());

  /** Returns the selected run, or else the first. */
  function selection(runs: readonly RunOverview[]): RunOverview | undefined {
    return runs.find(({ id }) => id === selected) ?? runs[0];
  }

  function move(step: number): void {
    const runs = runsOf(rows());
    const at = runs.findIndex(({ id }) => id === selection(runs)?.id);
    // The first follows the last.
    selected = runs.at((at + step) % runs.length)?.id;
  }

  function draw(width: number): string[] {
    const all = rows();
    const runs = runsOf(all);
    if (runs.length < 2 && !isFocused) return [];
    const chosen = isFocused ? selection(runs)?.id : undefined;
    const at = all.findIndex((row) => "run" in row && row.run.id === chosen);
    const lines = around(all, at, most()).map((row) => {
      const isChosen = "run" in row && row.run.id === chosen;
      return `${isChosen ? paint("cyan", ">") : " "} ${family.draw(row, { columns: width - 3, paint, inConversation: true })}`;
    });
    const below = isFocused ? `${at + 1} of ${runs.length} · ${keys}` : (family.total() ?? "");
    return [...lines, paint("dim", truncateToWidth(`  ${below.trim()}`, width))];
  }

  function leave(): void {
    isFocused = false;
    actions.leave();
  }

  const component: Component = {
    render(width) {
      const seconds = Math.floor(Date.now() / 1000);
      const of = [width, most(), isFocused, selected, family.changes(), seconds].join(" ");
      if (drawn?.of !== of) drawn = { of, lines: draw(width) };
      return drawn.lines;
    },
    handleInput(data) {
      const run = selection(runsOf(rows()));
      const act = run === undefined ? leave : actOf(data, { run, move, leave, actions });
      act?.();
      tui.requestRender();
    },
    invalidate: () => undefined,
  };
  return {
    component,
    family,
    focus() {
      if (runsOf(family.rows(Infinity)).length < 2) return false;
      isFocused = true;
      tui.setFocus(component);
      tui.requestRender();
      return true;
    },
  };
}

/** Returns the action of a key. */
function actOf(
  data: string,
  {
    run,
    move,
    leave,
    actions,
  }: { run: RunOverview; move: (step: number) => void; leave: () => void; actions: TreeActions },
): (() => void) | undefined {
  const acts: readonly [KeyId, () => void][] = [
    ["up", () => move(-1)],
    ["down", () => move(1)],
    ["x", () => actions.cancel(run)],
    ["r", () => actions.retry(run)],
    [
      "b",
      () => {
        leave();
        actions.raise(run);
      },
    ],
    ["escape", leave],
    ["ctrl+t", leave],
    [
      "enter",
      () => {
        leave();
        actions.open(run);
      },
    ],
  ];
  return acts.find(([key]) => matchesKey(data, key))?.[1];
}

/** Returns how many of the screen's `rows` the tree may take. */
function maxRows(
  rows: number,
  { isFocused, isCrowded }: { isFocused: boolean; isCrowded: boolean },
): number {
  if (isCrowded) return size.least;
  const part = isFocused ? size.focusedPart : size.part;
  return Math.max(size.least, Math.floor(rows * part));
}

/** Returns at most `most` rows around the row at `at`. */
function around(rows: readonly TreeRow[], at: number, most: number): readonly TreeRow[] {
  const from = Math.min(Math.max(0, at - Math.floor(most / 2)), Math.max(0, rows.length - most));
  return rows.slice(from, from + most);
}

function runsOf(rows: readonly TreeRow[]): RunOverview[] {
  return rows.flatMap((row) => ("run" in row ? row.run : []));
}
