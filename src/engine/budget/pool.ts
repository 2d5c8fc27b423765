// Budgets of runs: pools, reservations and estimates.

/** A bounded amount of a resource: tokens, dollars or tool calls. A run's own pool is a share of its parent's. */
export interface Pool {
  /** The run that owns the budget. */
  readonly owner: string;
  readonly limit: number;
  /** The pool of which this one is a share. */
  readonly from: Pool | undefined;
  readonly used: number;
  /** The free amount: not used, not held for active calls and not reserved for children. */
  readonly left: number;
  /** Reserves `amount` for the pool of a child. The returned function gives it back. */
  reserve(amount: number): () => void;
  /** Holds `amount` for an active call. The returned function gives it back. */
  hold(amount: number): () => void;
  /** Whether active calls hold an amount that may be returned. */
  readonly isBusy: boolean;
  /** Resolves when a held amount is returned. */
  change(): Promise<void>;
  /** Counts the usage of a call in this pool and in the pools above it. */
  spend(amount: number): void;
  /** Raises the limit, and reserves the amount in the pool that this one is a share of. */
  raise(amount: number): void;
  /** Adds a run that spends from this pool. */
  retain(): void;
  /** Removes a run that spends from this pool. When the last one leaves, the unused share returns to the parent's pool. */
  release(): void;
}

interface Parts {
  owner: string;
  limit: number;
  /** The usage of an earlier process. */
  used: number;
  /** The pool of which this one is a share. */
  from: Pool | undefined;
}

/** Creates a pool and reserves its unused amount in `from`. */
export function createPool(parts: Parts): Pool {
  return new SharedPool(parts);
}

/** A class instead of closures: its instances share methods, and thousands of runs may have pools. */
class SharedPool implements Pool {
  readonly owner: string;
  readonly from: Pool | undefined;
  readonly #changes = createChanges();
  #limit: number;
  #used: number;
  #held = 0;
  #calls = 0;
  #users = 1;
  #giveBack: (() => void) | undefined;

  constructor({ owner, limit, used, from }: Parts) {
    this.owner = owner;
    this.from = from;
    this.#limit = limit;
    this.#used = used;
    this.#setAside();
    from?.retain();
  }

  get limit(): number {
    return this.#limit;
  }

  get used(): number {
    return this.#used;
  }

  get left(): number {
    return this.#limit - this.#used - this.#held;
  }

  get isBusy(): boolean {
    return this.#calls > 0;
  }

  reserve(amount: number): () => void {
    this.#held += amount;
    return () => {
      this.#held -= amount;
      this.#changes.announce();
    };
  }

  hold(amount: number): () => void {
    this.#calls += 1;
    const release = this.reserve(amount);
    return () => {
      this.#calls -= 1;
      release();
    };
  }

  async change(): Promise<void> {
    await this.#changes.next();
  }

  spend(amount: number): void {
    this.#used += amount;
    // The larger pool now counts this amount as used.
    this.#giveBack?.();
    this.from?.spend(amount);
    // A call that outlives its run may still cost something.
    if (this.#users > 0) this.#setAside();
  }

  raise(amount: number): void {
    this.#limit += amount;
    this.#giveBack?.();
    this.#setAside();
    this.#changes.announce();
  }

  retain(): void {
    this.#users += 1;
  }

  release(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#giveBack?.();
    this.#giveBack = undefined;
    this.from?.release();
  }

  /** Reserves the unused amount in the pool that this one is a share of. */
  #setAside(): void {
    this.#giveBack = this.from?.reserve(Math.max(0, this.#limit - this.#used));
  }
}

/** Announces changes to callers that wait for the next one. */
function createChanges(): { announce(): void; next(): Promise<void> } {
  let next: PromiseWithResolvers<void> | undefined;
  return {
    announce() {
      next?.resolve();
      next = undefined;
    },
    async next() {
      next ??= Promise.withResolvers<void>();
      await next.promise;
    },
  };
}
