/** A comment; clients skip it. */
const opening = new TextEncoder().encode(": open\n\n");

/**
 * Returns the response with an adapted event stream. The stream starts at once, so the client gets the headers before
 * the first event. It ends when the client of `request` disconnects, so that the client can continue it later, and calls `onEnd`.
 */
export function streamResponse(
  request: Request,
  response: Response,
  onEnd: () => void = () => undefined,
): Response {
  if (response.body === null) {
    onEnd();
    return response;
  }
  const { status, headers } = response;
  const reader = response.body.getReader();
  const leave = (): void => void reader.cancel(request.signal.reason).catch(() => undefined);
  let isOver = false;
  const end = (): void => {
    if (!isOver) onEnd();
    isOver = true;
  };
  request.signal.addEventListener("abort", leave, { once: true });
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
      end();
      controller.close();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status, headers });
}
