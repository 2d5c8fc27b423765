import { createGunzip, type Gunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { CadreError } from "../../errors.ts";
import { bodyListenerOf } from "./body-listener.ts";
import { lightResponse, type ResponseParts } from "./light-response.ts";

/** One HTTP request. */
export interface ExchangeRequest {
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | null;
  signal: AbortSignal | null;
  /** A longer response body is refused. */
  maxBytes: number;
}

/** Where the bytes of a response go. */
interface BodySink {
  push(chunk: Uint8Array): void;
  end(): void;
  fail(error: Error): void;
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
    const hear = bodyListenerOf(request.signal);

    const fail = (error: Error): void => {
      if (isFailed) return;
      isFailed = true;
      request.signal?.removeEventListener("abort", abort);
      if (sink === undefined) reject(error);
      else sink.fail(error);
      controller?.abort(error);
    };
    const abort = (): void => fail(reasonOf(request.signal));
    const countBytes = (bytes: number): boolean => {
      received += bytes;
      if (received > request.maxBytes) fail(tooLarge(url, request.maxBytes));
      return received <= request.maxBytes;
    };
    request.signal?.addEventListener("abort", abort, { once: true });

    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method,
        headers: { "accept-encoding": "gzip", ...request.headers },
        body: request.body,
      },
      {
        onRequestStart(started) {
          controller = started;
          // Thrown, not aborted: nothing was sent yet, and the socket is good for the next one.
          if (isFailed) throw reasonOf(request.signal);
        },
        onResponseStart(started, status, rawHeaders, statusText = "") {
          if (status < 200) return;
          const headers = flatten(rawHeaders);
          const parts = { status, statusText, headers, url: url.href };
          const plain = headers["content-type"]?.startsWith("text/event-stream")
            ? streamed(parts, started, resolve)
            : collected(parts, resolve, reject);
          const encoding = headers["content-encoding"] ?? "identity";
          sink = decoded(encoding, countBytes, plain) ?? undefined;
          if (sink === undefined) fail(unknownEncoding(url, encoding));
        },
        onResponseData(_, chunk) {
          hear?.();
          sink?.push(chunk);
        },
        onResponseEnd() {
          request.signal?.removeEventListener("abort", abort);
          sink?.end();
        },
        onResponseError: (_, error) => fail(error),
      },
    );
  });
}

function reasonOf(signal: AbortSignal | null): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new DOMException(String(reason), "AbortError");
}

/** Resolves with the whole body at once. */
function collected(
  parts: Omit<ResponseParts, "body">,
  resolve: (response: Response) => void,
  fail: (error: Error) => void,
): BodySink {
  const chunks: Uint8Array[] = [];
  return {
    push: (chunk) => void chunks.push(chunk),
    end() {
      const [first] = chunks;
      const body = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
      resolve(lightResponse({ ...parts, body }));
    },
    fail,
  };
}

/** Resolves at once with a stream, and holds the sender back while nobody reads. */
function streamed(
  parts: Omit<ResponseParts, "body">,
  controller: Dispatcher.DispatchController,
  resolve: (response: Response) => void,
): BodySink {
  let output: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isDone = false;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (started) => void (output = started),
      pull: () => controller.resume(),
      cancel() {
        isDone = true;
        controller.abort(new DOMException("The reader left.", "AbortError"));
      },
    },
    { highWaterMark: 16 },
  );
  resolve(lightResponse({ ...parts, body }));
  return {
    push(chunk) {
      if (isDone) return;
      output?.enqueue(chunk);
      if ((output?.desiredSize ?? 1) <= 0) controller.pause();
    },
    end() {
      if (!isDone) output?.close();
      isDone = true;
    },
    fail(error) {
      if (!isDone) output?.error(error);
      isDone = true;
    },
  };
}

/** Undoes `content-encoding` on the way to `sink` and counts what comes out; `null` for one that was not asked for. */
function decoded(
  encoding: string,
  countBytes: (bytes: number) => boolean,
  sink: BodySink,
): BodySink | null {
  if (encoding === "identity") {
    return { ...sink, push: (chunk) => void (countBytes(chunk.length) && sink.push(chunk)) };
  }
  if (encoding !== "gzip" && encoding !== "x-gzip") return null;
  const gunzip: Gunzip = createGunzip();
  gunzip.on("data", (chunk: Uint8Array) => void (countBytes(chunk.length) && sink.push(chunk)));
  gunzip.on("end", () => sink.end());
  gunzip.on("error", (error) => sink.fail(error));
  return {
    push: (chunk) => void gunzip.write(chunk),
    end: () => void gunzip.end(),
    fail(error) {
      gunzip.destroy();
      sink.fail(error);
    },
  };
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
    `${url.host} answered with content-encoding ${JSON.stringify(encoding)}, and only gzip was offered. ` +
      "Turn other compression off on the server or the proxy in front of it.",
    { details: { kind: "malformed" } },
  );
}
