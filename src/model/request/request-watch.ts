import type { Clock } from "../../clock.ts";

/** Limits of a provider's silence. */
export interface RequestLimits {
  /** The longest silence in the middle of a streamed reply, in milliseconds. */
  stallMs: number;
  /**
   * The longest silence before a streamed reply begins, or until another reply is complete, in milliseconds. Default:
   * 50 for each token of the output limit, at least 10 minutes.
   */
  replyMs?: number;
}

/** The error of a provider that was silent for too long. */
export class RequestStalledError extends Error {
  override readonly name = "RequestStalledError";
}

/** Ends one request when its provider is silent for too long. */
export interface RequestWatch {
  /** Aborts with the outer signal, or with a {@link RequestStalledError}. */
  signal: AbortSignal;
  /** Starts `work` and waits for it; rejects with the signal's reason when the signal aborts first. */
  orAbort<Value>(work: () => PromiseLike<Value>): Promise<Value>;
  /** Reports that data arrived on the connection. */
  hear(): void;
  stop(): void;
}

/** The options of {@link watchRequest}. */
export interface RequestWatchOptions {
  clock: Clock;
  limits: RequestLimits;
  isStreamed: boolean;
  /** The output limit of the request, if it has one. */
  maxOutputTokens: number | undefined;
}

/** The shortest default of {@link RequestLimits.replyMs}. */
const shortestReplyMs = 600_000;
/** The time for one token of the longest answer; a healthy model is faster. */
const slowestTokenMs = 50;

/** Watches a request from now on until `outer` aborts or `stop` is called. */
export function watchRequest(outer: AbortSignal, options: RequestWatchOptions): RequestWatch {
  const { clock, limits, isStreamed, maxOutputTokens = 0 } = options;
  const replyMs = limits.replyMs ?? Math.max(shortestReplyMs, maxOutputTokens * slowestTokenMs);
  const controller = new AbortController();
  let giveUp: (reason: unknown) => void = () => undefined;
  const end = (reason: unknown): void => {
    controller.abort(reason);
    giveUp(reason);
  };
  const abort = (): void => end(outer.reason);
  outer.addEventListener("abort", abort, { once: true });
  let allowedMs = replyMs;
  let heardAt = clock.monotonic();
  let cancel = clock.schedule(allowedMs, look);

  function look(): void {
    const silentMs = clock.monotonic() - heardAt;
    if (silentMs < allowedMs) cancel = clock.schedule(allowedMs - silentMs, look);
    else end(new RequestStalledError(`nothing arrived for ${allowedMs / 1000} s`));
  }

  return {
    signal: controller.signal,
    orAbort: (work) =>
      new Promise((resolve, reject) => {
        giveUp = reject;
        work().then(resolve, reject);
        // Making the request may have ended it.
        if (controller.signal.aborted) reject(controller.signal.reason);
      }),
    hear() {
      heardAt = clock.monotonic();
      if (!isStreamed || allowedMs === limits.stallMs) return;
      allowedMs = limits.stallMs;
      // The scheduled check may be later than the new limit.
      cancel();
      cancel = clock.schedule(allowedMs, look);
    },
    stop() {
      outer.removeEventListener("abort", abort);
      cancel();
    },
  };
}
