/** Collects what one turn of the event loop wants written and writes it at once. */
export interface GroupCommit<Item> {
  add(item: Item): void;
  /** Resolves when everything added so far is written; rejects, now and ever after, once a write failed. */
  flushed(): Promise<void>;
  /** Aborted, with the error as its reason, once a write failed: nothing is accepted any more. */
  readonly failed: AbortSignal;
  /** Accepts nothing from now on, because of `error`. The first error stands. */
  fail(error: unknown): void;
}

/** What {@link createGroupCommit} needs. */
export interface GroupCommitOptions<Item> {
  /** Writes all of `items` or, by throwing, none. */
  write(items: readonly Item[]): void;
  /** Called after `items` were written. */
  onWritten(items: readonly Item[]): void;
  /** Whether a failed write should be tried again a moment later. */
  isPassing(error: unknown): boolean;
  toError(error: unknown): Error;
}

const retryDelayMs = 50;
const retryLimit = 200;

/**
 * One commit a turn of the event loop, however many wanted one: with full synchronisation this is what makes a durable
 * step cheap.
 */
export function createGroupCommit<Item>(options: GroupCommitOptions<Item>): GroupCommit<Item> {
  let items: Item[] = [];
  let batch = createBatch();
  let isScheduled = false;
  const failing = new AbortController();
  const failed = failing.signal;

  function fail(error: unknown): void {
    if (failed.aborted) return;
    const failure = options.toError(error);
    batch.reject(failure);
    failing.abort(failure);
  }

  function commit(attempt: number): void {
    if (failed.aborted) return;
    const written = items;
    try {
      options.write(written);
    } catch (error) {
      if (options.isPassing(error) && attempt < retryLimit) {
        setTimeout(commit, retryDelayMs, attempt + 1);
      } else {
        fail(error);
      }
      return;
    }
    const done = batch;
    items = [];
    batch = createBatch();
    isScheduled = false;
    try {
      options.onWritten(written);
    } finally {
      // It is written, even when a listener of somebody's throws.
      done.resolve();
    }
  }

  return {
    add(item) {
      failed.throwIfAborted();
      items.push(item);
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(commit, 0);
    },
    flushed() {
      if (failed.aborted) return Promise.reject(failed.reason as Error);
      return items.length === 0 ? Promise.resolve() : batch.promise;
    },
    failed,
    fail,
  };
}

interface Batch {
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: Error) => void;
}

function createBatch(): Batch {
  const batch = Promise.withResolvers<void>();
  // Whoever waits sees the rejection; a batch nobody waits for must not end the process.
  batch.promise.catch(() => undefined);
  return batch;
}
