import type { Clock } from "../../clock.ts";

/** Limits on a provider's silence. */
export interface RequestLimits {
  /** The maximum silence in the middle of a streamed reply, in milliseconds. */
  stallMs: number;
  /**
   * The maximum silence before a streamed reply begins, or until an unstreamed reply is complete, in milliseconds. Default: 50
   * for each token of the output limit, at least 10 minutes.
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
  /** Starts `work` and waits for it. Rejects with the signal's reason when the signal aborts first. */
  orAbort<Value>(work: () => PromiseLike<Value>): Promise<Value>;
  /** Reports that data arrived on the connection. */
  dataReceived(): void;
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

/** The minimum default of {@link RequestLimits.replyMs}. */
const minReplyMs = 600_000;
/** The time for each token of the output limit. A healthy model is faster. */
const slowestTokenMs = 50;

/** Watches a request from this call until `outer` aborts or `stop` is called. */
export function watchRequest(outer: AbortSignal, options: RequestWatchOptions): RequestWatch {
  return new SilenceWatch(outer, options);
}

/** A class instead of closures: its instances share methods, and thousands of requests may wait. */
class SilenceWatch implements RequestWatch {
  readonly #outer: AbortSignal;
  readonly #options: RequestWatchOptions;
  readonly #controller = new AbortController();
  #giveUp: ((reason: unknown) => void) | undefined;
  #allowedMs: number;
  #receivedAt: number;
  #cancel: () => void;

  constructor(outer: AbortSignal, options: RequestWatchOptions) {
    const { clock, limits, maxOutputTokens = 0 } = options;
    this.#outer = outer;
    this.#options = options;
    this.#allowedMs = limits.replyMs ?? Math.max(minReplyMs, maxOutputTokens * slowestTokenMs);
    this.#receivedAt = clock.monotonic();
    outer.addEventListener("abort", this, { once: true });
    this.#cancel = this.#checkAfter(this.#allowedMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  orAbort<Value>(work: () => PromiseLike<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      work().then(resolve, reject);
      // Starting the request may have ended it.
      if (this.signal.aborted) reject(this.signal.reason);
    });
  }

  dataReceived(): void {
    const { clock, limits, isStreamed } = this.#options;
    this.#receivedAt = clock.monotonic();
    if (!isStreamed || this.#allowedMs === limits.stallMs) return;
    this.#allowedMs = limits.stallMs;
    // The scheduled check may be later than the new limit.
    this.#cancel();
    this.#cancel = this.#checkAfter(this.#allowedMs);
  }

  stop(): void {
    this.#outer.removeEventListener("abort", this);
    this.#cancel();
  }

  /** The outer signal aborted. */
  handleEvent(): void {
    this.#end(this.#outer.reason);
  }

  #checkAfter(delayMs: number): () => void {
    return this.#options.clock.schedule(delayMs, () => this.#check());
  }

  #check(): void {
    const silentMs = this.#options.clock.monotonic() - this.#receivedAt;
    const allowedMs = this.#allowedMs;
    if (silentMs < allowedMs) this.#cancel = this.#checkAfter(allowedMs - silentMs);
    else this.#end(new RequestStalledError(`nothing arrived for ${allowedMs / 1000} s`));
  }

  #end(reason: unknown): void {
    this.#controller.abort(reason);
    this.#giveUp?.(reason);
  }
}
