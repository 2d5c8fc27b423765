// Streams of runs: the journal and arriving replies as parts, texts and UI messages.

import type { Activities } from "../../engine/live/activities.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunEvent, RunEventType } from "../../run/event.ts";
import {
  type FollowedRun,
  type FollowedRuns,
  followRuns,
  type OtherRuns,
} from "./followed-runs.ts";
import type { Part } from "./project-reply.ts";
import { announceEnd, announceRun } from "./project-run.ts";
import type { RunStreamPart } from "./stream-part.ts";
import { createWake, type Wake } from "./wake.ts";

/** The sources of streams of runs. */
export interface StreamSource {
  registry: Registry;
  activities: Activities;
}

/** Options of {@link readBatches}. */
export interface ReadOptions {
  others: OtherRuns;
  /** Reads only events of these types, when the parts of others are not needed. Default: all types. */
  types?: readonly RunEventType[];
  /** Ends the stream with its reason. */
  signal?: AbortSignal | undefined;
}

/** Parts of one run that were read together. Passing each part through several generators would cost as much as reading it. */
export interface Batch {
  runId: string;
  parts: readonly Part[];
}

/** Batches in the order of their parts. */
export type Batches = AsyncGenerator<Batch, void>;

/** Yields the parts of batches. */
export async function* streamRun(batches: Batches): AsyncGenerator<RunStreamPart, void> {
  for await (const { runId, parts } of batches) {
    for (const part of parts) yield { runId, ...part };
  }
}

/**
 * Reads the output of a run from its beginning to its end: the recorded output, and the replies and outputs that are arriving. It
 * buffers nothing for its reader: everything that the reader has not taken yet is in the journal, or is arriving.
 *
 * @throws CadreError when the registry fails.
 */
export async function* readBatches(
  { registry, activities }: StreamSource,
  runId: string,
  { others, types, signal }: ReadOptions,
): Batches {
  signal?.throwIfAborted();
  const wake = createWake(registry, signal);
  const runs = followRuns({ registry, activities, others, onNews: wake.call }, runId);
  try {
    for (;;) {
      if (wake.isOutdated()) await runs.refresh();
      yield* readChanges({ activities, registry, runs, wake, types });
      if (runs.hasEnded()) return;
      yield* readGrowth(activities, runs);
      if (runs.changed.size === 0) await wake.called();
    }
  } finally {
    runs.stop();
    wake.stop();
  }
}

interface Reading {
  activities: Activities;
  registry: Registry;
  runs: FollowedRuns;
  wake: Wake;
  types: ReadOptions["types"];
}

/** The number of events of a run that are read at once, which limits the memory of a stream. */
const eventsAtOnce = 512;

/** Reads the events recorded since the last call. */
async function* readChanges(reading: Reading): Batches {
  const { changed } = reading.runs;
  // Uses a copy, because the set itself may never be empty while many runs are active.
  const waiting = [...changed];
  for (const followed of waiting) {
    reading.wake.throwIfAborted();
    if (changed.has(followed)) yield* readRun(reading, followed);
  }
}

/** Reads the new events of one run. The parts of a child come before the event that depends on its end. */
async function* readRun(reading: Reading, followed: FollowedRun): Batches {
  const { registry, runs, wake, types } = reading;
  runs.changed.delete(followed);
  const { id: runId, projection } = followed;
  if (projection === undefined) {
    return yield { runId, parts: await readOutline(registry, followed) };
  }
  for (;;) {
    const which = { after: followed.seen, limit: eventsAtOnce, types };
    const events = await registry.events(runId, which);
    yield* projectEvents(reading, followed, events);
    // Outputs of this process have already ended.
    for (const event of events) if (event.type === "step-finished") forgetOutput(reading, event);
    if (events.length < eventsAtOnce) return;
    wake.throwIfAborted();
  }
}

function forgetOutput(
  { activities }: Reading,
  { runId, key }: Extract<RunEvent, { type: "step-finished" }>,
): void {
  activities.endReply(runId, key);
  activities.endOutput(runId, key);
}

async function* projectEvents(
  reading: Reading,
  followed: FollowedRun,
  events: readonly RunEvent[],
): Batches {
  const { runs, wake } = reading;
  const { id: runId, projection } = followed;
  // Another process may have created children since the runs were read.
  if (wake.isForeign() && events.some(isAfterChildren)) await runs.refreshChildren(followed);
  let parts: Part[] = [];
  for (const event of events) {
    for (const child of childrenBefore(followed, event)) {
      if (!runs.changed.has(child)) continue;
      yield { runId, parts };
      parts = [];
      yield* readRun(reading, child);
    }
    followed.seen = event.seq;
    followed.isEnded ||= event.type === "run-finished";
    if (projection !== undefined) parts.push(...projection.event(event));
  }
  yield { runId, parts };
}

/** Reads the creation and the end of a run. */
async function readOutline(registry: Registry, followed: FollowedRun): Promise<Part[]> {
  const run = await registry.run(followed.id);
  if (run === undefined || followed.isEnded) return [];
  const parts: Part[] = [];
  if (followed.seen === 0) parts.push(announceRun(run));
  followed.seen = 1;
  followed.isEnded = run.result !== null;
  if (run.result !== null) parts.push(announceEnd(run.result));
  return parts;
}

/** Reads the growth of replies and outputs. Those of a run with new events wait for these events. */
function* readGrowth(activities: Activities, { grown, changed }: FollowedRuns): Iterable<Batch> {
  for (const followed of grown) {
    if (changed.has(followed)) continue;
    grown.delete(followed);
    const { id: runId, projection } = followed;
    for (const reply of activities.replies(runId)) {
      yield { runId, parts: projection?.live(reply) ?? [] };
    }
    for (const output of activities.outputs(runId)) {
      yield { runId, parts: projection?.output(output) ?? [] };
    }
  }
}

function isAfterChildren(event: RunEvent): boolean {
  const { type } = event;
  return type === "step-finished" || type === "messages-delivered" || type === "run-finished";
}

/** Returns the children that had ended when the event was recorded. */
function childrenBefore({ children }: FollowedRun, event: RunEvent): Iterable<FollowedRun> {
  if (children.size === 0) return [];
  if (event.type === "step-finished") return children.get(event.key) ?? [];
  if (event.type === "messages-delivered") {
    return event.messages.flatMap(({ id }) => children.get(id) ?? []);
  }
  return event.type === "run-finished" ? new Set([...children.values()].flat()) : [];
}
