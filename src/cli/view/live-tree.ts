import { createElement, type ReactElement } from "react";
import { type Instance, render, Text } from "ink";
import type { Display } from "./display.ts";
import { stylesOf } from "./agent-style.ts";
import { createPaint, type Style } from "../terminal/paint.ts";
import { layOutTree } from "./run-tree.ts";
import { formatTreeRow } from "./tree-line.ts";
import { describeTotal } from "./summary.ts";
import { addUpRuns, type Run, toRunOverviews } from "../../host.ts";

const frameMs = 100;
/** Milliseconds between redraws without a change: times of active runs increase. */
const tickMs = 1000;
const heardCharacters = 200;

/** Returns a display that draws the tree of all runs on a terminal, at most ten times a second. */
export function createLiveTree(stream: NodeJS.WriteStream): Display {
  const runs = new Map<string, Run>();
  const heard = new Map<string, string>();
  const notes: string[] = [];
  let styles: ReadonlyMap<string, Style> = new Map();
  const screen = createScreen(stream, () => drawTree({ runs, heard, notes, styles }, stream));
  screen.start();
  return {
    showsEvents: false,
    take(family) {
      for (const run of family) {
        const known = runs.get(run.id);
        // Keeps the order of the family, whichever run reported first.
        runs.delete(run.id);
        runs.set(run.id, known === undefined || known.lastSeq < run.lastSeq ? run : known);
      }
      screen.touch();
    },
    event(event, run) {
      runs.set(run.id, run);
      heard.delete(event.runId);
      // The warning of a waiting run says why it waits: for a run whose process is gone.
      if (event.type === "warning-raised" && run.status === "waiting") {
        heard.set(run.id, event.message);
      }
      screen.touch();
    },
    colorAgents(agents) {
      styles = stylesOf(agents);
      screen.touch();
    },
    activity({ runId, type, text }) {
      if (type === "reasoning" || type === "tool-input") return;
      const before = type === "text" ? (heard.get(runId) ?? "") : "";
      // Unchanged, because a chunk may begin or end with a space. Drawing cleans it.
      heard.set(runId, (before + text).slice(-heardCharacters).toWellFormed());
      screen.touch();
    },
    note(line) {
      notes.push(line);
      screen.touch();
    },
    pause: () => screen.leave(false),
    resume: screen.start,
    stop: () => screen.leave(true),
  };
}

interface Scene {
  runs: ReadonlyMap<string, Run>;
  heard: ReadonlyMap<string, string>;
  notes: readonly string[];
  styles: ReadonlyMap<string, Style>;
}

function drawTree({ runs, heard, notes, styles }: Scene, stream: NodeJS.WriteStream): ReactElement {
  const options = {
    // A line that fills the last column makes some terminals wrap.
    columns: stream.columns - 1,
    now: Date.now(),
    paint: createPaint(stream),
    styles,
    heard: (id: string) => heard.get(id),
    find: (id: string) => runs.get(id),
  };
  // A frame as high as the screen could only be replaced by clearing all of it.
  const overviews = toRunOverviews([...runs.values()]);
  const total = overviews.length < 2 ? [] : [describeTotal(addUpRuns(overviews))];
  const room = stream.rows - 2 - total.length - notes.length;
  const rows = layOutTree(overviews, Math.max(1, room));
  const lines = [...rows.map((row) => formatTreeRow(row, options)), ...total];
  return createElement(Text, { wrap: "truncate" }, [...lines, ...notes].join("\n"));
}

/** The part of a terminal that is redrawn on changes. */
interface Screen {
  start(): void;
  /** Requests a redraw. */
  touch(): void;
  /** Stops drawing; leaves the last state on the terminal if `isFinal`, else nothing. */
  leave(isFinal: boolean): Promise<void>;
}

function createScreen(stream: NodeJS.WriteStream, draw: () => ReactElement): Screen {
  let isChanged = false;
  let drawnAt = 0;
  let instance: Instance | undefined;
  let timer: NodeJS.Timeout | undefined;

  function refresh(): void {
    if (!isChanged && Date.now() - drawnAt < tickMs) return;
    isChanged = false;
    drawnAt = Date.now();
    instance?.rerender(draw());
  }

  return {
    touch: () => void (isChanged = true),
    start() {
      instance = render(draw(), {
        stdout: stream,
        stderr: stream,
        exitOnCtrlC: false,
        patchConsole: false,
        incrementalRendering: true,
        interactive: true,
      });
      timer = setInterval(refresh, frameMs);
    },
    async leave(isFinal) {
      clearInterval(timer);
      const leaving = instance;
      instance = undefined;
      if (leaving === undefined) return;
      if (isFinal) leaving.rerender(draw());
      else leaving.clear();
      leaving.unmount();
      await leaving.waitUntilExit();
    },
  };
}
