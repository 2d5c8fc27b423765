import type { Dispatcher } from "undici";
import { CadreError } from "../../errors.ts";
import { type BodyListener, bodyListenerOf } from "./body-listener.ts";
import { type BodySink, collectBody, type ResponseOutlet, streamBody } from "./body-sink.ts";
import { decodeBody } from "./decode-body.ts";

/** The target of a request: the parts of its URL. */
export interface ExchangeTarget {
  origin: string;
  host: string;
  /** The path with the query. */
  path: string;
  href: string;
}

/** One HTTP request. */
export interface ExchangeRequest {
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | null;
  signal: AbortSignal | null;
  /** The maximum number of bytes of a response body. A longer one is refused. */
  maxBytes: number;
}

/**
 * Sends one request. Resolves with an event stream when it begins, and with any other response when it is complete, because
 * partial JSON is useless.
 * An abort destroys the socket at once and rejects with the signal's reason.
 */
export function exchange(
  dispatcher: Dispatcher,
  target: ExchangeTarget,
  request: ExchangeRequest,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.signal?.throwIfAborted();
    const { origin, path } = target;
    const { method, headers, body } = request;
    const exchanging = new Exchange(target, request, { resolve, reject });
    dispatcher.dispatch({ origin, path, method, headers, body }, exchanging);
  });
}

/** A request in progress. A class instead of closures, because its instances share methods. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #target: ExchangeTarget;
  readonly #signal: AbortSignal | null;
  readonly #maxBytes: number;
  readonly #outcome: Pick<ResponseOutlet, "resolve" | "reject">;
  readonly #listener: BodyListener | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #sink: BodySink | undefined;
  #received = 0;
  #isFailed = false;

  constructor(
    target: ExchangeTarget,
    { signal, maxBytes }: ExchangeRequest,
    outcome: Pick<ResponseOutlet, "resolve" | "reject">,
  ) {
    this.#target = target;
    this.#signal = signal;
    this.#maxBytes = maxBytes;
    this.#outcome = outcome;
    this.#listener = bodyListenerOf(signal);
    signal?.addEventListener("abort", this, { once: true });
  }

  /** The signal of the request aborted. */
  handleEvent(): void {
    this.#fail(reasonOf(this.#signal));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Throwing instead of aborting keeps the unused socket for the next request.
    if (this.#isFailed) throw reasonOf(this.#signal);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    rawHeaders: RawHeaders,
    statusText = "",
  ): void {
    if (status < 200) return;
    const headers = flatten(rawHeaders);
    const parts = { status, statusText, headers, url: this.#target.href };
    const body = openBody({ parts, controller, ...this.#outcome });
    const encoding = headers["content-encoding"] ?? "";
    this.#sink = decodeBody(encoding, this.#countBytes(body));
    if (this.#sink === undefined) this.#fail(unknownEncoding(this.#target.host, encoding));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#listener?.dataReceived();
    this.#sink?.push(chunk);
  }

  onResponseEnd(): void {
    this.#signal?.removeEventListener("abort", this);
    this.#sink?.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #fail(error: Error): void {
    if (this.#isFailed) return;
    this.#isFailed = true;
    this.#signal?.removeEventListener("abort", this);
    if (this.#sink === undefined) this.#outcome.reject(error);
    else this.#sink.fail(error);
    this.#controller?.abort(error);
  }

  /** Counts the bytes that go into `sink`, and refuses more than the limit. */
  #countBytes(sink: BodySink): BodySink {
    const maxBytes = this.#maxBytes;
    return {
      push: (chunk) => {
        this.#received += chunk.length;
        if (this.#received > maxBytes) this.#fail(tooLarge(this.#target.host, maxBytes));
        else sink.push(chunk);
      },
      end: sink.end,
      fail: sink.fail,
    };
  }
}

function reasonOf(signal: AbortSignal | null): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new DOMException(String(reason), "AbortError");
}

function openBody(outlet: ResponseOutlet): BodySink {
  const type = outlet.parts.headers["content-type"] ?? "";
  return type.startsWith("text/event-stream") ? streamBody(outlet) : collectBody(outlet);
}

type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

function flatten(headers: RawHeaders): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) flat[name] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
}

function tooLarge(host: string, maxBytes: number): CadreError {
  const limit = `${Math.round(maxBytes / 1024 / 1024)} MiB`;
  return new CadreError(
    "model-error",
    `${host} answered with more than ${limit}, the limit of a model's reply; the rest was refused. ` +
      "Check that the base URL points at a model server.",
    { details: { kind: "response-too-large" } },
  );
}

function unknownEncoding(host: string, encoding: string): CadreError {
  return new CadreError(
    "model-error",
    `${host} answered with content-encoding ${JSON.stringify(encoding)}, which is unknown. ` +
      "Turn the compression off on the server or the proxy in front of it.",
    { details: { kind: "malformed" } },
  );
}
