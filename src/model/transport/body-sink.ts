import type { Dispatcher } from "undici";
import { readErrorBody } from "./error-body.ts";
import { lightResponse, type ResponseParts } from "./light-response.ts";
import { escapeKeys } from "./reserved-keys.ts";

/** Receives the bytes of a response. */
export interface BodySink {
  push(chunk: Uint8Array): void;
  end(): void;
  fail(error: Error): void;
}

/** A response whose body has not arrived, and the functions that settle it. */
export interface ResponseOutlet {
  parts: Omit<ResponseParts, "body">;
  controller: Dispatcher.DispatchController;
  resolve: (response: Response) => void;
  reject: (error: Error) => void;
}

/** Creates a sink that resolves the response when the whole body has arrived. */
export function collectBody({ parts, resolve, reject }: ResponseOutlet): BodySink {
  const chunks: Uint8Array[] = [];
  return {
    push: (chunk) => void chunks.push(chunk),
    end() {
      const [first] = chunks;
      const body = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
      const error = parts.status === 200 ? readErrorBody(body) : null;
      resolve(lightResponse({ ...parts, ...(error ?? { body: escapeKeys(body) }) }));
    },
    fail: reject,
  };
}

/** The maximum number of bytes at the start of an event stream that are searched for an error. */
const maxBeginningBytes = 65_536;
const fieldOfData = /^data:(.*)$/m;

/**
 * Creates a sink that resolves the response with a stream of whole lines once the first event has arrived. Applies back-pressure
 * to the sender. A stream that begins with an error becomes a response with that error.
 */
export function streamBody(outlet: ResponseOutlet): BodySink {
  const { parts, controller, resolve, reject } = outlet;
  let beginning: Uint8Array[] | undefined = [];
  let stream: BodySink | undefined;

  function open(): BodySink {
    stream = streamLines(outlet);
    for (const chunk of beginning ?? []) stream.push(chunk);
    beginning = undefined;
    return stream;
  }

  function begin(held: Uint8Array[]): void {
    const bytes = Buffer.concat(held);
    const data = firstEventOf(bytes);
    if (data === undefined && bytes.length < maxBeginningBytes) return;
    const error =
      parts.status === 200 && data !== undefined ? readErrorBody(Buffer.from(data)) : null;
    if (error === null) {
      open();
      return;
    }
    beginning = undefined;
    stream = { push: () => undefined, end: () => undefined, fail: () => undefined };
    resolve(lightResponse({ ...parts, ...error }));
    controller.abort(new DOMException("The stream began with an error.", "AbortError"));
  }

  return {
    push(chunk) {
      if (stream !== undefined) {
        stream.push(chunk);
        return;
      }
      beginning?.push(chunk);
      begin(beginning ?? []);
    },
    end: () => (stream ?? open()).end(),
    fail(error) {
      if (stream === undefined) reject(error);
      else stream.fail(error);
    },
  };
}

/** Returns the data of the first event with data, once its line is complete. */
function firstEventOf(bytes: Buffer): string | undefined {
  const text = bytes.toString("latin1");
  const start = text.search(fieldOfData);
  if (start < 0 || !/[\r\n]/.test(text.slice(start))) return undefined;
  return fieldOfData.exec(bytes.toString())?.[1]?.trim();
}

const [lineFeed, carriageReturn] = [10, 13];

function streamLines({ parts, controller, resolve }: ResponseOutlet): BodySink {
  let output: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isDone = false;
  let rest: Uint8Array | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (started) => void (output = started),
      pull: () => controller.resume(),
      cancel() {
        isDone = true;
        controller.abort(new DOMException("The reader cancelled the stream.", "AbortError"));
      },
    },
    { highWaterMark: 16 },
  );
  resolve(lightResponse({ ...parts, body }));

  function enqueue(bytes: Uint8Array): void {
    if (isDone || bytes.length === 0) return;
    output?.enqueue(escapeKeys(bytes));
    if ((output?.desiredSize ?? 1) <= 0) controller.pause();
  }

  return {
    push(chunk) {
      const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
      const length = 1 + Math.max(bytes.lastIndexOf(lineFeed), bytes.lastIndexOf(carriageReturn));
      rest = length < bytes.length ? bytes.subarray(length) : undefined;
      enqueue(bytes.subarray(0, length));
    },
    end() {
      if (rest !== undefined) enqueue(rest);
      if (!isDone) output?.close();
      isDone = true;
    },
    fail(error) {
      if (!isDone) output?.error(error);
      isDone = true;
    },
  };
}
