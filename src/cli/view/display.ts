// Views of runs, agents and recipes as text.

import { formatProgress } from "./progress-line.ts";
import type { AgentDefinition, RunActivity, RunEvent, Run } from "../../host.ts";
import { writeError, writeJsonLine } from "../terminal/output.ts";

/** Shows runs while they are active. */
export interface Display {
  /** Shows a family in its current state, at its start or when a process continues it. */
  take(family: readonly Run[]): void;
  event(event: RunEvent, run: Run): void;
  /** Whether it shows events, and not only the runs that {@link Display.take} receives. */
  readonly showsEvents: boolean;
  /** Gives agents the colours of their definitions. Absent when the display has no colours. */
  colorAgents?(agents: readonly AgentDefinition[]): void;
  /** Shows output of agents as it arrives. Absent when the display does not show it. */
  activity?(activity: RunActivity): void;
  /** Shows a message about the whole command. */
  note(line: string): void;
  /** Removes the moving parts from the screen so that a question can be shown. */
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
