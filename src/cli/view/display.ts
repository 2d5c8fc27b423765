// Views of runs, agents and recipes as text.

import { formatProgress } from "./progress-line.ts";
import type { AgentDefinition, RunActivity, RunEvent, Run } from "../../host.ts";
import { writeError, writeJsonLine } from "../terminal/output.ts";

/** Shows runs while they happen. */
export interface Display {
  /** Shows a family as it is at its start, or when a process takes it up again. */
  take(family: readonly Run[]): void;
  event(event: RunEvent, run: Run): void;
  /** Whether it shows events themselves, and not only the runs that {@link Display.take} gets. */
  readonly showsEvents: boolean;
  /** Gives agents the colours of their definitions. Absent where there are no colours. */
  colorAgents?(agents: readonly AgentDefinition[]): void;
  /** Absent where output of agents is not shown as it arrives. */
  activity?(activity: RunActivity): void;
  /** Shows a message about the whole command. */
  note(line: string): void;
  /** Removes the moving parts from the screen for a question. */
  pause(): Promise<void>;
  resume(): void;
  /** Leaves the final state on the screen. */
  stop(): Promise<void>;
}

/** Returns a display that writes one line on stderr for each start, end and problem. */
export function createLineDisplay(): Display {
  const startedAt = performance.now();
  return createSilentDisplay((event, run) => {
    const line = formatProgress(event, run, performance.now() - startedAt);
    if (line !== undefined) writeError(line);
  });
}

/** Returns a display that writes only the journal of all runs on stdout, one JSON object a line. */
export function createEventDisplay(): Display {
  return createSilentDisplay(writeJsonLine);
}

function createSilentDisplay(event: Display["event"]): Display {
  const nothing = (): undefined => undefined;
  return {
    take: nothing,
    event,
    showsEvents: true,
    note: writeError,
    pause: () => Promise.resolve(),
    resume: nothing,
    stop: () => Promise.resolve(),
  };
}
