import type { MessageImage } from "../model/conversation.ts";
import type { Session } from "./session.ts";
import { RunFailed } from "./to-failure.ts";

/** The pictures that belong to the task of a run. */
export async function loadTaskImages({ spec, registry }: Session): Promise<MessageImage[]> {
  const images: MessageImage[] = [];
  for (const { mediaType, content } of spec.images ?? []) {
    const stored = await registry.definition(content);
    const data = stored?.["data"];
    if (typeof data !== "string") {
      const message = `The registry has lost an image of the task (${mediaType}, ${content}). Delegate the task anew.`;
      throw new RunFailed({ code: "internal", message });
    }
    images.push({ mediaType, data });
  }
  return images;
}
