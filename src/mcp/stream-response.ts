/** A comment, which clients skip. */
const opening = new TextEncoder().encode(": open\n\n");

/**
 * The same response. A stream of events begins at once, so that the client has its headers while there is nothing to say yet;
 * `onEnd` is called when all of it was read, or nobody reads it any more.
 */
export function streamResponse(response: Response, onEnd: () => void = () => undefined): Response {
  if (response.body === null) {
    onEnd();
    return response;
  }
  const { status, headers } = response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const isEvents = headers.get("content-type")?.startsWith("text/event-stream") === true;
      if (isEvents) controller.enqueue(opening);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) {
        controller.enqueue(value);
        return;
      }
      onEnd();
      controller.close();
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status, headers });
}
