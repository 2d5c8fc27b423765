// Budgets of runs: pools, reservations and estimates.

/** A bounded amount of a resource: tokens, dollars or tool calls. A run's own pool is a share of its parent's. */
export interface Pool {
  /** The run whose budget it is. */
  readonly owner: string;
  readonly limit: number;
  readonly used: number;
  /** The amount that is neither used, nor held for active calls, nor reserved for children. */
  readonly left: number;
  /** Reserves `amount` for the pool of a child. The returned function gives it back. */
  reserve(amount: number): () => void;
  /** Holds `amount` for a call under way. The returned function gives it back. */
  hold(amount: number): () => void;
  /** Whether active calls hold an amount that may be returned. */
  readonly isBusy: boolean;
  /** Resolves when a held amount is returned. */
  change(): Promise<void>;
  /** Counts the usage of a call, in this pool and in those it is a share of. */
  spend(amount: number): void;
  /** Adds a run that spends from this pool. */
  retain(): void;
  /** Removes a run that spends from this pool. When the last one leaves, the unused share returns to the parent's pool. */
  release(): void;
}

interface Parts {
  owner: string;
  limit: number;
  /** What an earlier process used. */
  used: number;
  /** The pool of which this one is a share. */
  from: Pool | undefined;
}

/** Creates a pool and reserves its unused amount in `from`. */
export function createPool({ owner, limit, used: before, from }: Parts): Pool {
  let used = before;
  let held = 0;
  let calls = 0;
  let users = 1;
  const changes = createChanges();
  let giveBack = setAside();
  from?.retain();

  function setAside(): (() => void) | undefined {
    return from?.reserve(Math.max(0, limit - used));
  }

  function reserve(amount: number): () => void {
    held += amount;
    return () => {
      held -= amount;
      changes.announce();
    };
  }

  return {
    owner,
    limit,
    get used() {
      return used;
    },
    get left() {
      return limit - used - held;
    },
    get isBusy() {
      return calls > 0;
    },
    hold(amount) {
      calls += 1;
      const release = reserve(amount);
      return () => {
        calls -= 1;
        release();
      };
    },
    reserve,
    change: changes.next,
    spend(amount) {
      used += amount;
      // The larger pool now counts this amount as used.
      giveBack?.();
      from?.spend(amount);
      // A call that outlives its run may still cost something.
      if (users > 0) giveBack = setAside();
    },
    retain() {
      users += 1;
    },
    release() {
      users -= 1;
      if (users > 0) return;
      giveBack?.();
      giveBack = undefined;
      from?.release();
    },
  };
}

/** Announces changes to those that wait for the next one. */
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
