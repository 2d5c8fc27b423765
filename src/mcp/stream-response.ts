/** A comment, which clients skip. */
const opening = new TextEncoder().encode(": open\n\n");

/**
 * The same response. A stream of events begins at once, so that the client has its headers while there is nothing to say yet,
 * and ends when the client of `request` has gone, so that it can be taken up again. `onEnd` is called when it has ended.
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
