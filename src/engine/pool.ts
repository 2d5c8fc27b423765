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
  /** Gives what is left of the share back. */
  close(): void;
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
  let listeners: (() => void)[] = [];
  let share = Math.max(0, limit - used);
  let giveBack = from?.reserve(share);

  function announce(): void {
    const told = listeners;
    listeners = [];
    for (const tell of told) tell();
  }

  function reserve(amount: number): () => void {
    held += amount;
    return () => {
      held -= amount;
      announce();
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
    async change() {
      const { promise, resolve } = Promise.withResolvers<void>();
      listeners.push(resolve);
      await promise;
    },
    spend(amount) {
      used += amount;
      if (from === undefined) return;
      // What was set aside for it in the larger pool is used there now.
      giveBack?.();
      share = Math.max(0, share - amount);
      giveBack = from.reserve(share);
      from.spend(amount);
    },
    close() {
      giveBack?.();
      giveBack = undefined;
    },
  };
}
