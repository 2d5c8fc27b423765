import { setTimeout as delay } from "node:timers/promises";
import type { Dispatcher, QueueTask } from "../engine/dispatch/dispatcher.ts";
import { executeFamily, type FamilyOptions, type Outcome } from "./execute-family.ts";

/** Options of {@link createActiveFamilies}. */
export interface ActiveFamiliesOptions extends FamilyOptions {
  dispatcher: Pick<Dispatcher, "submit">;
  concurrency: number;
  onNote: (line: string) => void;
}

/** The families that a worker executes. */
export interface ActiveFamilies {
  /** Executes a family. Never rejects: a failure is a note, and another worker continues the family. */
  execute(task: QueueTask): Promise<void>;
  isActive(rootId: string): boolean;
  hasFreeSlot(): boolean;
  /** Returns every later task to the queue. */
  stop(): void;
  /** Resolves when it executes no family, or after `timeoutMs`. */
  idle(timeoutMs: number): Promise<void>;
}

/** How long to wait after an attempt that the registry ended before the next one, in milliseconds. */
const leftMs = 2000;

/** Creates an empty set of families. */
export function createActiveFamilies(options: ActiveFamiliesOptions): ActiveFamilies {
  const { work, dispatcher, workerId, concurrency, onNote } = options;
  const active = new Map<string, Promise<void>>();
  const leaving = new AbortController();

  /** Starts the next attempt at another worker. */
  async function giveBack({ rootId, attempt }: QueueTask, from: string | null): Promise<void> {
    const [item] = await work.items({ rootId });
    const next = await work.requeue(rootId, attempt, from);
    if (next === undefined || item === undefined) return;
    await dispatcher.submit({ rootId, attempt: next }, item);
  }

  async function handle(task: QueueTask): Promise<void> {
    if (leaving.signal.aborted) return await giveBack(task, null);
    const outcome = await executeFamily(options, task);
    note(task, outcome);
    if (outcome.kind === "left") {
      // What failed the registry, such as a full disk, may fail the next attempt too.
      if (!leaving.signal.aborted) await delay(leftMs, undefined, leaving).catch(() => undefined);
      await giveBack(task, workerId);
    }
    // It is not in the queue now. If no worker owns it later, a sweep puts it there.
    if (outcome.kind === "owned" || outcome.kind === "refused") {
      await work.requeue(task.rootId, task.attempt, workerId);
    }
  }

  function note({ rootId }: QueueTask, outcome: Outcome): void {
    if (outcome.kind === "refused") onNote(`${rootId} cannot be executed here: ${outcome.reason}`);
    if (outcome.kind === "ended" && outcome.left !== undefined) {
      onNote(`${rootId} has ended, but left refs at its remote: ${outcome.left}`);
    }
    if (outcome.kind === "left") onNote(`${rootId} is left to another worker: ${outcome.reason}`);
  }

  return {
    async execute(task) {
      const { rootId } = task;
      const execution = handle(task).catch((error: unknown) => {
        onNote(`${rootId}: ${error instanceof Error ? error.message : String(error)}`);
      });
      const ended = execution.finally(() => {
        if (active.get(rootId) === ended) active.delete(rootId);
      });
      active.set(rootId, ended);
      await ended;
    },
    isActive: (rootId) => active.has(rootId),
    hasFreeSlot: () => !leaving.signal.aborted && active.size < concurrency,
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
