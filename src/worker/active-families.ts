import { setTimeout as delay } from "node:timers/promises";
import type { Dispatcher, ExecuteTask, QueueTask } from "../engine/dispatch/dispatcher.ts";
import { executeFamily, type FamilyOptions, type Outcome } from "./execute-family.ts";
import { errorMessage } from "../error-message.ts";

/** Options of {@link createActiveFamilies}. */
export interface ActiveFamiliesOptions extends FamilyOptions {
  dispatcher: Pick<Dispatcher, "submit">;
  concurrency: number;
  onNote: (line: string) => void;
}

/** The families that a worker executes. */
export interface ActiveFamilies {
  /** Executes a family. Never rejects: it notes a failure, and another worker continues the family. */
  execute(task: QueueTask): Promise<void>;
  isActive(rootId: string): boolean;
  hasFreeSlot(): boolean;
  /** Returns every later task to the queue. */
  stop(): void;
  /** Resolves when no family is executing, or after `timeoutMs`. */
  idle(timeoutMs: number): Promise<void>;
}

/** The pause before the next attempt when the registry ended one, in milliseconds. */
const leftMs = 2000;
/**
 * How long to retry while another process owns the runs, in milliseconds. A worker and its runs have separate heartbeats, so a
 * silent worker's lease on its runs may end some seconds after the worker counts as dead.
 */
const ownedMs = 10_000;
/** The pause between these retries, in milliseconds. */
const ownedPauseMs = 500;

/** Creates an empty set of families. */
export function createActiveFamilies(options: ActiveFamiliesOptions): ActiveFamilies {
  const active = new Map<string, Promise<void>>();
  const leaving = new AbortController();
  const handle = createExecution(options, leaving.signal);

  return {
    async execute(task) {
      const { rootId } = task;
      const execution = handle(task).catch((error: unknown) => {
        options.onNote(`${rootId}: ${errorMessage(error)}`);
      });
      const ended = execution.finally(() => {
        if (active.get(rootId) === ended) active.delete(rootId);
      });
      active.set(rootId, ended);
      await ended;
    },
    isActive: (rootId) => active.has(rootId),
    hasFreeSlot: () => !leaving.signal.aborted && active.size < options.concurrency,
    stop: () => leaving.abort(),
    async idle(timeoutMs) {
      const over = new AbortController();
      const all = Promise.allSettled(active.values());
      await Promise.race([all, delay(timeoutMs, undefined, { signal: over.signal })]).catch(
        () => undefined,
      );
      over.abort();
    },
  };
}

/**
 * Creates the function that executes one family, and leaves an unfinished one to other workers. `leaving` aborts when this worker
 * stops.
 */
function createExecution(options: ActiveFamiliesOptions, leaving: AbortSignal): ExecuteTask {
  const { work, dispatcher, workerId, onNote } = options;

  /** Queues the next attempt for another worker. */
  async function giveBack({ rootId, attempt }: QueueTask, from: string | null): Promise<void> {
    const [item] = await work.items({ rootId });
    const next = await work.requeue(rootId, attempt, from);
    if (next === undefined || item === undefined) return;
    await dispatcher.submit({ rootId, attempt: next }, item);
  }

  /** Waits, or returns at once when this worker stops. */
  async function pause(ms: number): Promise<void> {
    if (!leaving.aborted) await delay(ms, undefined, { signal: leaving }).catch(() => undefined);
  }

  /** Executes a family once no other process owns its runs. Gives up after `ownedMs`. */
  async function executeWhenFree(task: QueueTask): Promise<Outcome> {
    const until = performance.now() + ownedMs;
    for (;;) {
      const outcome = await executeFamily(options, task);
      const isOver = leaving.aborted || performance.now() > until;
      if (outcome.kind !== "owned" || isOver) return outcome;
      await pause(ownedPauseMs);
    }
  }

  return async (task) => {
    if (leaving.aborted) return await giveBack(task, null);
    const outcome = await executeWhenFree(task);
    const line = describe(outcome, leaving.aborted);
    if (line !== undefined) onNote(`${task.rootId} ${line}`);
    if (outcome.kind === "left") {
      // The cause of the failure, such as a full disk, may fail the next attempt too.
      await pause(leftMs);
      await giveBack(task, workerId);
    }
    // The family has left the queue. If no worker owns it later, a sweep puts it back.
    if (outcome.kind === "owned" || outcome.kind === "refused") {
      await work.requeue(task.rootId, task.attempt, workerId);
    }
  };
}

/** Returns the note on the end of an execution; `undefined` when there is nothing to report. */
function describe(outcome: Outcome, isLeaving: boolean): string | undefined {
  switch (outcome.kind) {
    case "refused":
      return `cannot be executed here: ${outcome.reason}`;
    case "left":
      return `is left to another worker: ${isLeaving ? "This worker stops." : outcome.reason}`;
    case "ended":
      return outcome.left && `has ended, but left refs at its remote: ${outcome.left}`;
    case "taken":
    case "owned":
    case "held":
      return undefined;
  }
}
