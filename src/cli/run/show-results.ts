import { exitCodeOf } from "../error/exit-code.ts";
import { writeError, writeJson, writeProse } from "../terminal/output.ts";
import { hasScreen } from "../terminal/has-screen.ts";
import type { Display } from "../view/display.ts";
import { shownText } from "../view/shown-text.ts";
import { noteUnmerged } from "../view/changes/unmerged-runs.ts";
import { summarize } from "../view/summary.ts";
import type { Cadre, RunResult } from "../../host.ts";

/** Output options of runs; `--json` and `--events` exclude each other. */
export interface ShowOptions {
  json?: boolean;
  events?: boolean;
  /** Whether to write lines and never redraw them, for screen readers. */
  plain?: boolean;
}

/** Creates the display of active runs: a tree where the terminal can draw, else lines. */
export async function createDisplay(show: ShowOptions, isTerminal: boolean): Promise<Display> {
  const { createEventDisplay, createLineDisplay } = await import("../view/display.ts");
  if (show.events === true) return createEventDisplay();
  const isDrawn = isTerminal && show.plain !== true && hasScreen(process.env, process.stderr);
  if (!isDrawn) return createLineDisplay();
  const { createLiveTree } = await import("../view/live-tree.ts");
  return createLiveTree(process.stderr);
}

/** Writes the results of runs that have ended. */
export async function reportResults(
  cadre: Pick<Cadre, "tree" | "changes">,
  results: readonly RunResult[],
  { show, toJson }: { show: ShowOptions; toJson: (results: readonly RunResult[]) => unknown },
): Promise<void> {
  if (show.json === true) writeJson(toJson(results));
  for (const result of results) {
    const isShown = show.json !== true && show.events !== true && result.text !== "";
    if (isShown) writeProse(shownText(result, process.stdout.isTTY));
    for (const line of summarize(await cadre.tree(result.runId))) writeError(line);
  }
  const ids = results.map(({ runId }) => runId);
  const note = await noteUnmerged(cadre, ids);
  if (note !== undefined) writeError(note);
}

/** Returns the exit code of the first failed run. */
export function worstOf(results: readonly RunResult[]): number {
  return results.map(({ status }) => exitCodeOf(status)).find((code) => code !== 0) ?? 0;
}
