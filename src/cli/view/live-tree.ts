import { createLogUpdate } from "log-update";
import type { Display } from "./display.ts";
import { createFamilyTreeView } from "./family-tree-view.ts";
import { createPaint } from "../terminal/paint.ts";

const frameMs = 100;
/** The interval between redraws without a change, in milliseconds: the times of active runs increase. */
const tickMs = 1000;

/** Returns a display that draws the tree of all runs on a terminal, at most ten times a second. */
export function createLiveTree(stream: NodeJS.WriteStream): Display {
  const family = createFamilyTreeView();
  const notes: string[] = [];
  const paint = createPaint(stream);

  function draw(): string {
    // A line that fills the last column makes some terminals wrap.
    const columns = stream.columns - 1;
    const total = family.total();
    const below = total === undefined ? notes : [total, ...notes];
    // A frame as high as the screen can only be replaced by clearing the screen.
    const rows = family.rows(stream.rows - 2 - below.length);
    return [...rows.map((row) => family.draw(row, { columns, paint })), ...below].join("\n");
  }

  const screen = createScreen(stream, draw);
  /** Returns a function that calls `work` and then draws again. */
  const touching =
    <Arguments extends unknown[]>(work: (...given: Arguments) => unknown) =>
    (...given: Arguments): void => {
      work(...given);
      screen.touch();
    };
  screen.start();
  return {
    showsEvents: false,
    take: touching(family.take),
    event: touching(family.event),
    colorAgents: touching(family.colorAgents),
    activity: touching(family.activity),
    note: touching((line: string) => notes.push(line)),
    pause: async () => screen.leave(false),
    resume: screen.start,
    stop: async () => screen.leave(true),
  };
}

/** The part of a terminal that is redrawn on changes. */
interface Screen {
  start(): void;
  /** Requests a redraw. */
  touch(): void;
  /** Stops drawing. Leaves the last state on the terminal if `isFinal`, else nothing. */
  leave(isFinal: boolean): void;
}

function createScreen(stream: NodeJS.WriteStream, draw: () => string): Screen {
  let isChanged = false;
  let drawnAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let frame: ReturnType<typeof createLogUpdate> | undefined;

  function refresh(): void {
    if (!isChanged && Date.now() - drawnAt < tickMs) return;
    isChanged = false;
    drawnAt = Date.now();
    frame?.(draw());
  }

  return {
    touch: () => void (isChanged = true),
    start() {
      frame = createLogUpdate(stream);
      frame(draw());
      timer = setInterval(refresh, frameMs);
    },
    leave(isFinal) {
      clearInterval(timer);
      if (frame === undefined) return;
      if (isFinal) frame(draw());
      else frame.clear();
      frame.done();
      frame = undefined;
    },
  };
}
