// The writing half of every registry: events, live runs and groups.

import { createHash } from "node:crypto";
import type { Clock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import type { RunEvent, RunEventBody } from "../../run/event.ts";
import type { Run } from "../../run/run.ts";
import { applyEvent } from "../../run/transition.ts";
import { createGroupCommit, type GroupCommitOptions } from "./group-commit.ts";
import { createLiveRuns, type LiveRuns } from "./live-runs.ts";
import type { Registry, RunListener } from "../registry.ts";
import { createStopwatches } from "./stopwatches.ts";

/** An item to make durable: an event with the resulting state of its run, or a definition or an image. */
export type JournalItem =
  | { event: RunEvent; data: string; run: Run }
  | { content: string; hash: string; at: number };

/** The writing half of a registry. */
export interface Journal extends Pick<
  Registry,
  "append" | "flushed" | "failed" | "fail" | "subscribe" | "putContent"
> {
  /** The runs that this process owns and can append to. */
  live: LiveRuns;
}

/** Options of {@link createJournal}: the operations of a registry's store. */
export interface JournalOptions {
  clock: Clock;
  /** Called before each append. Makes this process an owner of runs if necessary. */
  register: () => void;
  /**
   * Writes all of `items` durably, in order, or fails and writes none: with `lease-lost` when this process no longer owns one of
   * their runs. It is called again only after the previous call has ended.
   */
  write: GroupCommitOptions<JournalItem>["write"];
  /** Reports whether the write should be tried again shortly after this error. */
  isPassing: GroupCommitOptions<JournalItem>["isPassing"];
  /** Returns the error that the registry fails with after any other error. */
  toError: GroupCommitOptions<JournalItem>["toError"];
}

/**
 * How long written content is not written again, in milliseconds. This is much shorter than the time for which pruning keeps
 * unused definitions.
 */
const freshMs = 10 * 60 * 1000;

/**
 * Creates the writing half of a registry. It numbers events, applies them to the runs in memory, and passes them to the store in
 * groups.
 */
export function createJournal(options: JournalOptions): Journal {
  const { clock, register } = options;
  const listeners = new Set<RunListener>();
  const live = createLiveRuns();
  const stopwatches = createStopwatches(clock);
  const hashes = new WeakMap<object, string>();
  /** When each content was written. */
  const known = new Map<string, number>();

  const commits = createGroupCommit<JournalItem>({
    write: options.write,
    isPassing: options.isPassing,
    toError: options.toError,
    onWritten(items) {
      for (const item of items) if ("event" in item) announce(item.event, item.run);
    },
  });

  function announce(event: RunEvent, run: Run): void {
    if (event.type === "run-finished") live.forget(event.runId);
    for (const listener of listeners) listener(event, run);
  }

  return {
    append(runId, body) {
      register();
      const before = live.get(runId);
      const elapsedMs = stopwatches.readElapsed(runId, body.type);
      const timed = elapsedMs === undefined ? body : { ...body, elapsedMs };
      const event = toEvent(runId, before, { body: timed, at: clock.now() });
      const run = applyEvent(before, event);
      commits.add({ event, data: JSON.stringify(timed), run });
      live.update(event, run);
      return event;
    },
    flushed: () => commits.flushed(),
    failed: commits.failed,
    fail: commits.fail,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    putContent(content) {
      const now = clock.now();
      const isFresh = (hash: string): boolean => now - (known.get(hash) ?? -Infinity) < freshMs;
      const remembered = hashes.get(content);
      if (remembered !== undefined && isFresh(remembered)) return remembered;
      const text = JSON.stringify(content);
      const hash = createHash("sha256").update(text).digest("hex");
      hashes.set(content, hash);
      if (!isFresh(hash)) {
        register();
        known.set(hash, now);
        commits.add({ content: text, hash, at: now });
      }
      return hash;
    },
    live,
  };
}

function toEvent(
  runId: string,
  before: Run | undefined,
  { body, at }: { body: RunEventBody; at: number },
): RunEvent {
  if (before === undefined && body.type !== "run-created") {
    throw new CadreError("run-not-found", `This process does not own the run ${runId}.`);
  }
  return { ...body, runId, seq: (before?.lastSeq ?? 0) + 1, at };
}
