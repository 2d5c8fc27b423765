import { formatProgress } from "./progress-line.ts";
import type { RunActivity, RunEvent, Run } from "../index.ts";
import { writeError, writeJsonLine } from "./output.ts";

/** Shows runs while they happen. */
export interface Display {
  /** Takes a family as it stood when it was begun, or taken up again with runs that have ended. */
  take(family: readonly Run[]): void;
  event(event: RunEvent, run: Run): void;
  activity(activity: RunActivity): void;
  /** Says something about the whole. */
  note(line: string): void;
  /** Takes everything that moves off the screen, for a question to the user. */
  pause(): Promise<void>;
  resume(): void;
  /** Leaves the final state behind. */
  stop(): Promise<void>;
}

/** One line on stderr for each start, end and problem. */
export function createLineDisplay(): Display {
  const startedAt = performance.now();
  return createSilentDisplay((event, run) => {
    const line = formatProgress(event, run, performance.now() - startedAt);
    if (line !== undefined) writeError(line);
  });
}

/** The journal of all runs on stdout, one JSON object a line, and nothing else. */
export function createEventDisplay(): Display {
  return createSilentDisplay(writeJsonLine);
}

function createSilentDisplay(event: Display["event"]): Display {
  const nothing = (): undefined => undefined;
  return {
    take: nothing,
    event,
    activity: nothing,
    note: writeError,
    pause: () => Promise.resolve(),
    resume: nothing,
    stop: () => Promise.resolve(),
  };
}
