import { messageBytes, tooLongMessage } from "./message-limit.ts";

/**
 * Limits the size of messages in a response: of each event in an event stream, or else of the whole body. The body fails
 * when a message is too large.
 */
export function boundResponse(response: Response): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
  const measure = isStream ? createEventMeasure() : createMeasure();
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        if (measure(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) > messageBytes) {
          throw new RangeError(tooLongMessage);
        }
        controller.enqueue(bytes);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(bounded, { status, statusText, headers });
}

function createMeasure(): (bytes: Buffer) => number {
  let total = 0;
  return (bytes) => (total += bytes.length);
}

/** Measures the current event, which an empty line ends. */
function createEventMeasure(): (bytes: Buffer) => number {
  let length = 0;
  let before = "";
  return (bytes) => {
    // An empty line may span two chunks.
    const edge = before + bytes.subarray(0, 3).toString("latin1");
    const endings = ["\n\n", "\r\r", "\r\n\r\n"];
    const end = Math.max(
      ...endings.map((ending) => bytes.lastIndexOf(ending, undefined, "latin1")),
    );
    const isEnded = end !== -1 || endings.some((ending) => edge.includes(ending));
    length = isEnded ? bytes.length - Math.max(end, 0) : length + bytes.length;
    before = bytes.subarray(-3).toString("latin1");
    return length;
  };
}
