import {
  type Component,
  type KeyId,
  matchesKey,
  truncateToWidth,
  type TUI,
} from "@earendil-works/pi-tui";
import { createFamilyView, type FamilyView } from "../../view/family-view.ts";
import type { TreeRow } from "../../view/run-tree.ts";
import type { Paint } from "../../terminal/paint.ts";
import type { RunOverview } from "../../../host.ts";

/** The least rows of the tree, and the part of the screen that it may take. */
const size = { least: 4, part: 0.3, focusedPart: 0.6 } as const;

/** What the keys on the tree do. */
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
  readonly family: FamilyView;
  /** Focuses the tree. `false`: there is nothing to select. */
  focus(): boolean;
}

/** Creates an empty tree. */
export function createTreePanel(tui: TUI, paint: Paint, actions: TreeActions): TreePanel {
  const family = createFamilyView();
  let isFocused = false;
  let selected: string | undefined;

  function rows(): TreeRow[] {
    const part = isFocused ? size.focusedPart : size.part;
    return family.rows(Math.max(size.least, Math.floor(tui.terminal.rows * part)));
  }

  /** The selected run, or else the first. */
  function selection(runs: readonly RunOverview[]): RunOverview | undefined {
    return runs.find(({ id }) => id === selected) ?? runs[0];
  }

  function move(step: number): void {
    const runs = runsOf(rows());
    const at = runs.findIndex(({ id }) => id === selection(runs)?.id);
    selected = runs[Math.min(runs.length - 1, Math.max(0, at + step))]?.id;
  }

  function leave(): void {
    isFocused = false;
    actions.leave();
  }

  const component: Component = {
    render(width) {
      const shown = rows();
      const runs = runsOf(shown);
      if (runs.length < 2 && !isFocused) return [];
      const chosen = isFocused ? selection(runs)?.id : undefined;
      const lines = shown.map((row) => {
        const isChosen = "run" in row && row.run.id === chosen;
        return `${isChosen ? paint("cyan", ">") : " "} ${family.draw(row, { columns: width - 3, paint })}`;
      });
      const keys = "  Enter opens · x cancels · r retries · b raises limits · Esc closes";
      const below = isFocused ? keys : (family.total() ?? "");
      return [...lines, paint("dim", truncateToWidth(`  ${below.trim()}`, width))];
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
      if (runsOf(rows()).length < 2) return false;
      isFocused = true;
      tui.setFocus(component);
      tui.requestRender();
      return true;
    },
  };
}

/** What a key does. */
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

function runsOf(rows: readonly TreeRow[]): RunOverview[] {
  return rows.flatMap((row) => ("run" in row ? row.run : []));
}
