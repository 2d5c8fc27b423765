/** Collects the items that one turn of the event loop adds and writes them in one commit. */
export interface GroupCommit<Item> {
  add(item: Item): void;
  /** Resolves when all items added so far are written. Rejects after a write has failed. */
  flushed(): Promise<void>;
  /** Aborts with the error when a write fails. No further item is accepted. */
  readonly failed: AbortSignal;
  /** Refuses all further items because of `error`. The first error is kept. */
  fail(error: unknown): void;
}

/** How groups of events are written. */
export interface GroupCommitOptions<Item> {
  /** Writes all of `items`, or fails and writes none. It is called again only after the previous call has ended. */
  write(items: readonly Item[]): void | Promise<void>;
  /** Called after `items` are written. */
  onWritten(items: readonly Item[]): void;
  /** Reports whether the write should be tried again shortly after this error. */
  isPassing(error: unknown): boolean;
  toError(error: unknown): Error;
}

const retryDelayMs = 50;
const retryLimit = 200;

/**
 * Creates a {@link GroupCommit}. All items of one turn of the event loop share one commit. This keeps durable steps cheap
 * although each commit is synchronised to the disk. Items added during a write share the next commit.
 */
export function createGroupCommit<Item>(options: GroupCommitOptions<Item>): GroupCommit<Item> {
  let items: Item[] = [];
  let batch = createBatch();
  /** The batch being written. */
  let underWay: Batch | undefined;
  let isScheduled = false;
  const failing = new AbortController();
  const failed = failing.signal;

  function fail(error: unknown): void {
    if (failed.aborted) return;
    const failure = options.toError(error);
    underWay?.reject(failure);
    batch.reject(failure);
    failing.abort(failure);
  }

  function schedule(): void {
    isScheduled = true;
    setImmediate(commit);
  }

  function commit(): void {
    if (failed.aborted) return;
    const written = items;
    underWay = batch;
    items = [];
    batch = createBatch();
    write(options, written, { written: () => finish(written), refused: fail, failed });
  }

  function finish(written: readonly Item[]): void {
    // A failure in the meantime has rejected the waiting callers.
    if (failed.aborted) return;
    const done = underWay;
    underWay = undefined;
    isScheduled = false;
    if (items.length > 0) schedule();
    try {
      options.onWritten(written);
    } finally {
      // The items are written even when a listener throws.
      done?.resolve();
    }
  }

  return {
    add(item) {
      failed.throwIfAborted();
      items.push(item);
      if (!isScheduled) schedule();
    },
    flushed() {
      if (failed.aborted) return Promise.reject(failed.reason as Error);
      if (items.length > 0) return batch.promise;
      return underWay?.promise ?? Promise.resolve();
    },
    failed,
    fail,
  };
}

/**
 * Writes `items`, and again after a passing error. It returns no promise where the store answers synchronously, so a commit to a
 * file costs no turn of the event loop.
 */
function write<Item>(
  options: Pick<GroupCommitOptions<Item>, "write" | "isPassing">,
  items: readonly Item[],
  then: { written: () => void; refused: (error: unknown) => void; failed: AbortSignal },
  attempt = 0,
): void {
  const refuse = (error: unknown): void => {
    if (!options.isPassing(error) || attempt === retryLimit) return then.refused(error);
    setTimeout(write, retryDelayMs, options, items, then, attempt + 1);
  };
  // The group may have failed for another reason while this write waited.
  if (then.failed.aborted) return;
  let writing: ReturnType<typeof options.write>;
  try {
    writing = options.write(items);
  } catch (error) {
    refuse(error);
    return;
  }
  if (writing === undefined) then.written();
  else writing.then(then.written, refuse);
}

interface Batch {
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: Error) => void;
}

function createBatch(): Batch {
  const batch = Promise.withResolvers<void>();
  // Callers of `flushed` see the rejection. Without a caller, an unhandled rejection must not end the process.
  batch.promise.catch(() => undefined);
  return batch;
}
