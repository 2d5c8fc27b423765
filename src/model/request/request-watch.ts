import type { Clock } from "../../clock.ts";

/** How long a request may be silent. */
export interface RequestLimits {
  /** Of a reply that arrives piece by piece and has begun, in milliseconds. */
  stallMs: number;
  /** Before a reply begins to arrive; of one that arrives in one piece, until it is there. Absent: by its length. */
  replyMs?: number;
}

/** A provider that sent nothing for too long. */
export class RequestStalledError extends Error {
  override readonly name = "RequestStalledError";
}

/** Watches one request. */
export interface RequestWatch {
  /** Aborted when the request is not wanted any more, or with a {@link RequestStalledError}. */
  signal: AbortSignal;
  /** Waits for `work`, but not longer than until the signal aborts; then it rejects with the signal's reason. */
  orAbort<Value>(work: PromiseLike<Value>): Promise<Value>;
  /** A part of the reply arrived, or anything that shows that the connection lives. */
  hear(): void;
  stop(): void;
}

/** What {@link watchRequest} needs. */
export interface RequestWatchOptions {
  clock: Clock;
  limits: RequestLimits;
  isStreamed: boolean;
  /** The longest answer, where the provider is told one. */
  maxOutputTokens: number | undefined;
}

/** The shortest default of {@link RequestLimits.replyMs}. */
const shortestReplyMs = 600_000;
/** A healthy model writes faster. */
const slowestTokenMs = 50;

/** Watches a request from now on, until `outer` aborts it or it is stopped. */
export function watchRequest(outer: AbortSignal, options: RequestWatchOptions): RequestWatch {
  const { clock, limits, isStreamed, maxOutputTokens = 0 } = options;
  const replyMs = limits.replyMs ?? Math.max(shortestReplyMs, maxOutputTokens * slowestTokenMs);
  const controller = new AbortController();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  // Who does not wait need not hear of it.
  aborted.catch(() => undefined);
  const end = (reason: unknown): void => {
    controller.abort(reason);
    reject(reason);
  };
  const abort = (): void => end(outer.reason);
  outer.addEventListener("abort", abort, { once: true });
  let allowedMs = replyMs;
  let heardAt = clock.monotonic();
  let cancel = clock.schedule(allowedMs, look);

  function look(): void {
    const silentMs = clock.monotonic() - heardAt;
    if (silentMs < allowedMs) cancel = clock.schedule(allowedMs - silentMs, look);
    else end(new RequestStalledError(`nothing came for ${allowedMs / 1000} s`));
  }

  return {
    signal: controller.signal,
    orAbort: async (work) => await Promise.race([work, aborted]),
    hear() {
      heardAt = clock.monotonic();
      if (!isStreamed || allowedMs === limits.stallMs) return;
      allowedMs = limits.stallMs;
      // The next look may have been put off for longer than that.
      cancel();
      cancel = clock.schedule(allowedMs, look);
    },
    stop() {
      outer.removeEventListener("abort", abort);
      cancel();
    },
  };
}
