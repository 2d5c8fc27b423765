import type { Dispatcher, QueueTask } from "../engine/dispatch/dispatcher.ts";
import type { WorkItem, WorkTable } from "../registry/work-table.ts";
import type { ActiveFamilies } from "./active-families.ts";

/** Options of {@link createSweep}. */
export interface SweepOptions {
  work: WorkTable;
  dispatcher: Dispatcher;
  workerId: string;
  label: string | null;
  /** Executes families that a sweep takes outside the queue. */
  families: Pick<ActiveFamilies, "execute" | "isActive" | "hasFreeSlot">;
}

/** How long a family waits before a sweep checks that the queue contains it, in milliseconds. */
const queuedAfterMs = 10_000;

/** The two checks that keep submitted families from being lost. Every worker runs them; each change succeeds for one worker. */
export interface Sweep {
  /**
   * Starts the next attempt for families of dead workers, takes families that other workers refused, and queues families whose
   * start time has come or whose awaited run has ended.
   */
  takeOver(): Promise<void>;
  /** Queues families that the queue lost, and removes ended families and dead workers. */
  requeueLost(): Promise<void>;
}

function belongsInQueue({ isEnded, refusals, startsInMs, awaits }: WorkItem): boolean {
  const isKeptOut = startsInMs !== null || isHeld({ awaits });
  return !isEnded && refusals.length === 0 && !isKeptOut;
}

function isHeld({ awaits }: Pick<WorkItem, "awaits">): boolean {
  return awaits !== null && awaits.length > 0;
}

/** Creates the checks of one worker. */
export function createSweep(options: SweepOptions): Sweep {
  const { work, dispatcher, families } = options;

  async function findAlive(): Promise<string[]> {
    return (await work.workers()).filter(({ isAlive }) => isAlive).map(({ id }) => id);
  }

  /** Starts the next attempt, unless another worker has done so. */
  async function requeue(item: WorkItem): Promise<QueueTask | undefined> {
    const { rootId, attempt, worker } = item;
    const next = await work.requeue(rootId, attempt, worker);
    if (next === undefined) return undefined;
    // Otherwise DBOS would deliver a dead worker's task again when a worker with the same id appears.
    await dispatcher.withdraw([item]);
    return { rootId, attempt: next };
  }

  async function submitAgain(item: WorkItem): Promise<void> {
    const task = await requeue(item);
    if (task !== undefined) await dispatcher.submit(task, item);
  }

  /** Reports whether this worker should take a family that others refused. */
  function mayTake({ label, refusals }: WorkItem): boolean {
    const isRefused = refusals.some(({ worker }) => worker === options.workerId);
    return label === options.label && !isRefused && families.hasFreeSlot();
  }

  async function sweepItem(item: WorkItem, alive: ReadonlySet<string>): Promise<void> {
    if (item.worker === options.workerId) {
      // Its execution ended while the database was unreachable.
      if (!families.isActive(item.rootId)) await submitAgain(item);
    } else if (item.worker !== null) {
      if (!alive.has(item.worker)) await submitAgain(item);
    } else if ((item.startsInMs !== null || isHeld(item)) && item.refusals.length === 0) {
      // Its start time has come by the database's clock, or a run that it waits for has ended.
      await submitAgain(item);
    } else if (mayTake(item)) {
      const task = await requeue(item);
      if (task !== undefined) void families.execute(task);
    }
  }

  return {
    async takeOver() {
      const items = await work.items({ touched: true });
      // An idle worker checks often, with this one query.
      if (items.length === 0) return;
      const alive = new Set(await findAlive());
      for (const item of items) await sweepItem(item, alive);
    },
    async requeueLost() {
      const waiting = (await work.items({ waitedMs: queuedAfterMs })).filter(
        ({ worker }) => worker === null,
      );
      for (const item of waiting.filter(({ isEnded }) => isEnded)) {
        const task = await requeue(item);
        if (task !== undefined) await families.execute(task);
      }
      const open = waiting.filter(belongsInQueue);
      if (open.length > 0) {
        const lost = new Set(
          (await dispatcher.lost(open, await findAlive())).map(({ rootId }) => rootId),
        );
        for (const item of open.filter(({ rootId }) => lost.has(rootId))) await submitAgain(item);
      }
      const dead = (await work.workers()).filter(({ isAlive }) => !isAlive).map(({ id }) => id);
      if (dead.length > 0) await work.leave(dead);
      await dispatcher.tidy();
    },
  };
}
