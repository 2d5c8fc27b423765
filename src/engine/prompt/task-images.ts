import type { MessageImage } from "../../model/conversation.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { RunFailed } from "../run-failed.ts";

/** Loads the images of a run's task. */
export async function loadTaskImages({
  spec,
  registry,
}: Pick<RunContext, "spec" | "registry">): Promise<MessageImage[]> {
  const images: MessageImage[] = [];
  for (const { mediaType, content } of spec.images ?? []) {
    const stored = await registry.content(content);
    const data = stored?.["data"];
    if (typeof data !== "string") {
      const message = `The registry has lost an image of the task (${mediaType}, ${content}). Delegate the task again.`;
      throw new RunFailed({ code: "internal", message });
    }
    images.push({ mediaType, data });
  }
  return images;
}
