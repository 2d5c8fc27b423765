import { ServerProblem } from "./problem.ts";
import type { RouteServices } from "./route.ts";
import { encodeBegin, encodeShort, type StreamEncoding } from "./stream-encoding.ts";
import { formatSentEvent, type SentEvent } from "./sent-event.ts";
import { errorMessage } from "../../error-message.ts";

/** The maximum number of open event streams. */
const maxStreams = 2048;
/** The time without an event after which a comment is sent, in milliseconds. Proxies and clients treat a longer silence as a lost connection. */
const silenceMs = 15_000;

/** The beginning of every stream, which delivers the headers at once. Created once, because compressing costs more than sending. */
const opening = {
  identity: encodeBegin(": open\n\n", "identity"),
  gzip: encodeBegin(": open\n\n", "gzip"),
};
/** The comment that is sent when there are no events. */
const silent = {
  identity: encodeShort(": \n\n", "identity"),
  gzip: encodeShort(": \n\n", "gzip"),
};

/** Reports whether a request asks for server-sent events. */
export function wantsEvents(request: Request): boolean {
  return request.headers.get("accept")?.includes("text/event-stream") === true;
}

/**
 * Sends events as they arrive, or pieces that are already formatted and encoded. Reads an event only when the connection accepts more,
 * so a slow reader uses no memory and delays no other reader. `read` receives the signal that aborts when the reader leaves or the
 * server ends.
 *
 * @throws ServerProblem when too many streams are open.
 */
export function streamEvents(
  { streams, ending }: RouteServices,
  request: Request,
  read: (signal: AbortSignal) => AsyncGenerator<SentEvent | Uint8Array, void>,
  encoding: StreamEncoding = "identity",
): Response {
  if (streams.open >= maxStreams) {
    const detail = `${maxStreams} event streams are open; close one, or try again later.`;
    throw new ServerProblem("too-many-streams", detail);
  }
  streams.open += 1;
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, ending, request.signal]);
  const events = read(signal);
  const close = once(() => {
    streams.open -= 1;
    leaving.abort();
    // The iterator may be waiting between two events.
    events.return().catch(() => undefined);
  });
  signal.addEventListener("abort", close, { once: true });
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(opening[encoding]),
    pull: createPull(events, { signal, encoding, close }),
    cancel: close,
  });
  const headers = {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    vary: "accept-encoding",
    ...(encoding !== "identity" && { "content-encoding": encoding }),
  };
  return new Response(body, { headers });
}

type Pull = (controller: ReadableStreamDefaultController<Uint8Array>) => Promise<void>;

function createPull(
  events: AsyncGenerator<SentEvent | Uint8Array, void>,
  { signal, encoding, close }: { signal: AbortSignal; encoding: StreamEncoding; close: () => void },
): Pull {
  let next: Promise<IteratorResult<SentEvent | Uint8Array, void>> | undefined;
  return async (controller) => {
    try {
      next ??= events.next();
      const came = await orSilence(next);
      if (came === undefined) {
        controller.enqueue(silent[encoding]);
        return;
      }
      next = undefined;
      if (came.done !== true) {
        const { value } = came;
        controller.enqueue(
          value instanceof Uint8Array ? value : encodeShort(formatSentEvent(value), encoding),
        );
        return;
      }
    } catch (error) {
      // After an abort the stream just ends, and the reader continues from its position.
      if (!signal.aborted) controller.enqueue(encodeShort(formatFailure(error), encoding));
    }
    close();
    controller.close();
  };
}

/** Resolves with `undefined` after a time without an event. */
async function orSilence<Value>(next: Promise<Value>): Promise<Value | undefined> {
  const silence = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => silence.resolve(undefined), silenceMs);
  try {
    return await Promise.race([next, silence.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function formatFailure(error: unknown): string {
  const detail = errorMessage(error);
  return formatSentEvent({ type: "problem", data: { detail } });
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}
