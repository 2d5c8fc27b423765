import { type Batches, streamRun } from "./stream-run.ts";
import { createUIMessageConversion } from "./to-ui-message-chunks.ts";
import type { UIMessageChunk } from "./ui-message-chunk.ts";

/**
 * Creates the UI message stream of the run `runId`. `open` starts reading its parts until its signal aborts. Parts are read only
 * as the stream is read.
 */
export function createUIMessageStream(
  runId: string,
  open: (signal: AbortSignal) => Batches,
): ReadableStream<UIMessageChunk> {
  const leaving = new AbortController();
  const parts = streamRun(open(leaving.signal));
  const convert = createUIMessageConversion(runId);
  return new ReadableStream<UIMessageChunk>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await parts.next();
          if (done === true) return controller.close();
          const chunks = convert(value);
          for (const chunk of chunks) controller.enqueue(chunk);
          if (chunks.length > 0) return;
        }
      },
      async cancel(reason) {
        leaving.abort(reason);
        await parts.return().catch(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
