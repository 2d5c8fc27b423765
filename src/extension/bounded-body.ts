import { messageBytes } from "./message-limit.ts";

/**
 * The answer with a body that fails when a message in it is too large: for an event stream an event, otherwise the whole
 * body.
 */
export function boundResponse(response: Response): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
  const measure = isStream ? createEventMeasure() : createMeasure();
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        if (measure(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) > messageBytes) {
          const mebibytes = messageBytes / 1024 / 1024;
          throw new RangeError(
            `it sent a message of more than ${mebibytes} MiB, which nobody can take`,
          );
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

/** How long the event under way is: an empty line ends it. */
function createEventMeasure(): (bytes: Buffer) => number {
  let length = 0;
  let before = "";
  return (bytes) => {
    // An empty line may be cut in two by the network.
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
