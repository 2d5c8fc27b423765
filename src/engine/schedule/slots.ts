/**
 * A right to execute, of which there is a limited number. A run holds its slot while at least one of its parts is busy. It starts
 * with one part. A part that waits for several results counts as waiting until all have arrived.
 */
export interface Slot {
  /** Adds `count` busy parts to a run that is busy. */
  fork(count: number): void;
  /** Marks one part as no longer busy. */
  leave(): void;
  /** Waits for `work` with one part less busy. */
  yieldWhile<Value>(work: Promise<Value>): Promise<Value>;
  /** Frees the slot at the end of the run. */
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
 * Creates `capacity` slots. A run that waits for its children gives its slot back and returns ahead of runs that have not
 * started. Nesting therefore cannot deadlock, and started work ends before new work starts.
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

  const takeAgain = (): Promise<void> => take(returners, undefined);
  return {
    get active() {
      return active;
    },
    async acquire(signal) {
      signal.throwIfAborted();
      await take(beginners, signal);
      return new HeldSlot(takeAgain, giveBack);
    },
  };
}

/** A class instead of closures: its instances share methods, and thousands of runs may wait. */
class HeldSlot implements Slot {
  readonly #take: () => Promise<void>;
  readonly #giveBack: () => void;
  /** The number of busy parts; below one while parts of a program that did not fork wait. */
  #busy = 1;
  #isHeld = true;
  #isReleased = false;
  #returning: Promise<void> | undefined;

  constructor(take: () => Promise<void>, giveBack: () => void) {
    this.#take = take;
    this.#giveBack = giveBack;
  }

  fork(count: number): void {
    this.#busy += count;
  }

  leave(): void {
    this.#busy -= 1;
    if (this.#busy < 1) this.#drop();
  }

  yieldWhile<Value>(work: Promise<Value>): Promise<Value> {
    this.leave();
    return work.then(
      (value) => this.#enter().then(() => value),
      (error: unknown) =>
        this.#enter().then(() => {
          throw error;
        }),
    );
  }

  release(): void {
    this.#isReleased = true;
    this.#drop();
  }

  #drop(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#giveBack();
  }

  /** The first part that returns queues for the slot; the others wait with it. */
  async #enter(): Promise<void> {
    this.#busy += 1;
    if (this.#isReleased || this.#isHeld || this.#busy < 1) return;
    this.#returning ??= this.#comeBack();
    await this.#returning;
  }

  async #comeBack(): Promise<void> {
    await this.#take();
    this.#isHeld = true;
    this.#returning = undefined;
    // The run may have ended meanwhile, or be waiting for something else.
    if (this.#isReleased || this.#busy < 1) this.#drop();
  }
}

interface WaiterQueue {
  add(waiter: Waiter): void;
  next(): Waiter | undefined;
}

/** A first-in-first-out queue that skips entries that have left, without moving the rest. */
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
