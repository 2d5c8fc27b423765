/** A bounded amount of something that calls use up: tokens, dollars or calls. A run's own pool is a share of its parent's. */
export interface Pool {
  /** The run whose budget it is. */
  readonly owner: string;
  readonly limit: number;
  readonly used: number;
  /** What is neither used nor held for calls under way and for shares of children. */
  readonly left: number;
  /** Sets `amount` aside for the pool of a child; returns the way to give it back. */
  reserve(amount: number): () => void;
  /** Sets `amount` aside for a call under way; returns the way to give it back. */
  hold(amount: number): () => void;
  /** Whether anything is held by calls under way, and so may come back. */
  readonly isBusy: boolean;
  /** Resolves when something that was held is given back. */
  change(): Promise<void>;
  /** Counts what a call took, here and in the pools this one is a share of. */
  spend(amount: number): void;
  /** One more run spends from it, besides the one it was made for. */
  retain(): void;
  /** One of those that spend from it has ended; with the last one, what is left of the share is given back. */
  release(): void;
}

interface Parts {
  owner: string;
  limit: number;
  /** What was used before, by an earlier process. */
  used: number;
  /** The pool that this one is a share of. */
  from: Pool | undefined;
}

/** Makes a pool; what is not used of it yet is set aside in `from`. */
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
      // What was set aside for it in the larger pool is used there now.
      giveBack?.();
      from?.spend(amount);
      // A call that a run left behind may still cost something after all have ended.
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

/** Tells those who wait for the next change. */
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
