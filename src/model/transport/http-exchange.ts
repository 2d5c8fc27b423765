import type { Dispatcher } from "undici";
import { CadreError } from "../../errors.ts";
import { bodyListenerOf } from "./body-listener.ts";
import { type BodySink, collectBody, type ResponseOutlet, streamBody } from "./body-sink.ts";
import { decodeBody } from "./decode-body.ts";

/** One HTTP request. */
export interface ExchangeRequest {
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | null;
  signal: AbortSignal | null;
  /** A longer response body is refused. */
  maxBytes: number;
}

/**
 * Sends one request and resolves with its response: an event stream as soon as it begins, anything else once it is
 * complete, because nobody can use half a JSON document.
 *
 * An abort destroys the socket at once and rejects with the signal's reason.
 */
export function exchange(
  dispatcher: Dispatcher,
  url: URL,
  request: ExchangeRequest,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.signal?.throwIfAborted();
    let controller: Dispatcher.DispatchController | undefined;
    let sink: BodySink | undefined;
    let received = 0;
    let isFailed = false;
    const fail = (error: Error): void => {
      if (isFailed) return;
      isFailed = true;
      request.signal?.removeEventListener("abort", abort);
      if (sink === undefined) reject(error);
      else sink.fail(error);
      controller?.abort(error);
    };
    const abort = (): void => fail(reasonOf(request.signal));
    const maySend = (bytes: number): boolean => {
      const isTooMuch = (received += bytes) > request.maxBytes;
      if (isTooMuch) fail(tooLarge(url, request.maxBytes));
      return !isTooMuch;
    };
    request.signal?.addEventListener("abort", abort, { once: true });

    dispatcher.dispatch(toDispatch(url, request), {
      onRequestStart(started) {
        controller = started;
        // Thrown, not aborted: nothing was sent yet, and the socket is good for the next one.
        if (isFailed) throw reasonOf(request.signal);
      },
      onResponseStart(started, status, rawHeaders, statusText = "") {
        if (status < 200) return;
        const headers = flatten(rawHeaders);
        const parts = { status, statusText, headers, url: url.href };
        const body = openBody({ parts, controller: started, resolve, reject });
        const encoding = headers["content-encoding"] ?? "";
        sink = decodeBody(encoding, countBytes(maySend, body));
        if (sink === undefined) fail(unknownEncoding(url, encoding));
      },
      onResponseData(_, chunk) {
        bodyListenerOf(request.signal)?.();
        sink?.push(chunk);
      },
      onResponseEnd() {
        request.signal?.removeEventListener("abort", abort);
        sink?.end();
      },
      onResponseError: (_, error) => fail(error),
    });
  });
}

function toDispatch(
  url: URL,
  { method, headers, body }: ExchangeRequest,
): Dispatcher.DispatchOptions {
  const path = url.pathname + url.search;
  const accepted = { "accept-encoding": "gzip", ...headers };
  return { origin: url.origin, path, method, headers: accepted, body };
}

function reasonOf(signal: AbortSignal | null): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new DOMException(String(reason), "AbortError");
}

function openBody(outlet: ResponseOutlet): BodySink {
  const type = outlet.parts.headers["content-type"] ?? "";
  return type.startsWith("text/event-stream") ? streamBody(outlet) : collectBody(outlet);
}

/** Counts what goes into `sink`, which gets no more than may be. */
function countBytes(maySend: (bytes: number) => boolean, sink: BodySink): BodySink {
  return { ...sink, push: (chunk) => void (maySend(chunk.length) && sink.push(chunk)) };
}

function flatten(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
}

function tooLarge(url: URL, maxBytes: number): CadreError {
  const limit = `${Math.round(maxBytes / 1024 / 1024)} MiB`;
  return new CadreError(
    "model-error",
    `${url.host} answered with more than ${limit}, the most a model's reply may have; the rest was refused. ` +
      "Check that the base URL points at a model server.",
    { details: { kind: "response-too-large" } },
  );
}

function unknownEncoding(url: URL, encoding: string): CadreError {
  return new CadreError(
    "model-error",
    `${url.host} answered with content-encoding ${JSON.stringify(encoding)}, which nobody knows. ` +
      "Turn the compression off on the server or the proxy in front of it.",
    { details: { kind: "malformed" } },
  );
}
