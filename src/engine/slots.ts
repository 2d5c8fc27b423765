/**
 * The right to use this process, given to at most so many runs at once. A run holds it while at least one of its parts
 * is busy; it begins with one part. A part that waits for several things at once counts as waiting until all are there.
 */
export interface Slot {
  /** Adds `count` busy parts to a run that is busy. */
  fork(count: number): void;
  /** One part is busy no more. */
  leave(): void;
  /** Waits for `work` as a part that is not busy meanwhile. */
  yieldWhile<Value>(work: Promise<Value>): Promise<Value>;
  /** The run has ended. */
  release(): void;
}

/** A fair queue for slots. */
export interface Slots {
  /** Waits for a free slot, first come, first served. Rejects with the signal's reason when it aborts. */
  acquire(signal: AbortSignal): Promise<Slot>;
  readonly active: number;
}

interface Waiter {
  grant: () => void;
  isGone: boolean;
}

/**
 * `capacity` slots. A run that waits for its children gives its slot back and, when it returns, goes before runs that
 * have not begun: so nesting cannot deadlock, and work that is under way ends before new work begins.
 */
export function createSlots(capacity: number): Slots {
  let active = 0;
  const beginners = createQueue();
  const returners = createQueue();

  function take(queue: WaiterQueue, signal: AbortSignal | undefined): Promise<void> {
    if (active < capacity) {
      active += 1;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { grant: resolve, isGone: false };
    queue.add(waiter);
    const leave = (): void => {
      waiter.isGone = true;
      reject(signal?.reason as Error);
    };
    signal?.addEventListener("abort", leave, { once: true });
    return promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  function giveBack(): void {
    const next = returners.next() ?? beginners.next();
    if (next === undefined) active -= 1;
    else next.grant();
  }

  return {
    get active() {
      return active;
    },
    async acquire(signal) {
      signal.throwIfAborted();
      await take(beginners, signal);
      return createSlot(() => take(returners, undefined), giveBack);
    },
  };
}

function createSlot(take: () => Promise<void>, giveBack: () => void): Slot {
  /** Parts that are busy; below one while parts of a program that did not fork wait. */
  let busy = 1;
  let isHeld = true;
  let isReleased = false;
  let returning: Promise<void> | undefined;

  function drop(): void {
    if (!isHeld) return;
    isHeld = false;
    giveBack();
  }

  function leave(): void {
    busy -= 1;
    if (busy < 1) drop();
  }

  async function comeBack(): Promise<void> {
    await take();
    isHeld = true;
    returning = undefined;
    // Whoever stood in the queue may have ended meanwhile, or gone to wait for something else.
    if (isReleased || busy < 1) drop();
  }

  /** The first part to come back queues for the slot; others that come meanwhile wait with it. */
  async function enter(): Promise<void> {
    busy += 1;
    if (isReleased || isHeld || busy < 1) return;
    returning ??= comeBack();
    await returning;
  }

  return {
    fork(count) {
      busy += count;
    },
    leave,
    async yieldWhile(work) {
      leave();
      try {
        return await work;
      } finally {
        await enter();
      }
    },
    release() {
      isReleased = true;
      drop();
    },
  };
}

interface WaiterQueue {
  add(waiter: Waiter): void;
  next(): Waiter | undefined;
}

/** First in, first out, without moving the rest at each step; those who left are passed over. */
function createQueue(): WaiterQueue {
  let waiters: Waiter[] = [];
  let head = 0;
  return {
    add: (waiter) => void waiters.push(waiter),
    next() {
      while (head < waiters.length) {
        const waiter = waiters[head];
        head += 1;
        if (head > 1000 && head * 2 > waiters.length) {
          waiters = waiters.slice(head);
          head = 0;
        }
        if (waiter !== undefined && !waiter.isGone) return waiter;
      }
      return undefined;
    },
  };
}
