import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../clock.ts";
import { CadreError } from "../errors.ts";
import type { RunEvent, RunEventBody } from "../run/event.ts";
import { isTerminal, type Run } from "../run/run.ts";
import { applyEvent } from "../run/transition.ts";
import { createGroupCommit } from "./group-commit.ts";
import {
  createJournalWriter,
  type JournalItem,
  type JournalWriterOptions,
} from "./journal-writer.ts";
import { isBusy, toRegistryError } from "./registry-error.ts";
import type { Registry, RunListener } from "./registry.ts";
import { createStopwatches } from "./stopwatches.ts";

/** The writing half of the registry. */
export interface Journal extends Pick<
  Registry,
  "append" | "flushed" | "failed" | "fail" | "subscribe" | "putDefinition"
> {
  /** Makes runs of an earlier process appendable here. */
  adopt(runs: readonly Run[]): void;
  /** A run this process owns, as it is after its last event, durable or not. */
  live: (runId: string) => Run | undefined;
}

/** What {@link createJournal} needs. */
export interface JournalOptions extends JournalWriterOptions {
  path: string;
  clock: Clock;
  /** Called before anything is appended. */
  register: () => void;
}

/** How long a definition that was written needs no writing again; much less than what pruning leaves alone. */
const freshMs = 10 * 60 * 1000;

/** Writes the journal into `database`, a group of events at a time. */
export function createJournal(database: DatabaseSync, options: JournalOptions): Journal {
  const { path, clock, register } = options;
  const listeners = new Set<RunListener>();
  const live = new Map<string, Run>();
  const stopwatches = createStopwatches(clock);
  const hashes = new WeakMap<object, string>();
  /** When each definition was written. */
  const known = new Map<string, number>();

  const commits = createGroupCommit<JournalItem>({
    write: createJournalWriter(database, options),
    isPassing: isBusy,
    toError: (error) => toRegistryError(error, path),
    onWritten(items) {
      for (const item of items) if ("event" in item) announce(item.event, item.run);
    },
  });

  function announce(event: RunEvent, run: Run): void {
    if (event.type === "run-finished") live.delete(event.runId);
    for (const listener of listeners) listener(event, run);
  }

  return {
    append(runId, body) {
      register();
      const before = live.get(runId);
      const timed = { ...body, ...stopwatches.lap(runId, body.type) };
      const event = toEvent(runId, before, { body: timed, at: clock.now() });
      const run = applyEvent(before, event);
      commits.add({ event, data: JSON.stringify(timed), run });
      live.set(runId, run);
      return event;
    },
    flushed: () => commits.flushed(),
    failed: commits.failed,
    fail: commits.fail,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    putDefinition(definition) {
      const now = clock.now();
      const isFresh = (hash: string): boolean => now - (known.get(hash) ?? -Infinity) < freshMs;
      const remembered = hashes.get(definition);
      if (remembered !== undefined && isFresh(remembered)) return remembered;
      const text = JSON.stringify(definition);
      const hash = createHash("sha256").update(text).digest("hex");
      hashes.set(definition, hash);
      if (!isFresh(hash)) {
        register();
        known.set(hash, now);
        commits.add({ definition: text, hash, at: now });
      }
      return hash;
    },
    adopt(runs) {
      for (const run of runs) {
        if (!isTerminal(run.status) && !live.has(run.id)) live.set(run.id, run);
      }
    },
    live: (runId) => live.get(runId),
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
