import type { Registry } from "../../registry/registry.ts";
import type { RunEvent } from "../../run/event.ts";
import type { Run } from "../../run/run.ts";

/**
 * Finds the background runs of `parentId` whose results it had not received, in its conversation or from a tool, when the step
 * `stepKey` started. Results that the step itself collected before an interruption count as not received.
 */
export async function findPending(
  registry: Pick<Registry, "children" | "events">,
  parentId: string,
  stepKey: string,
): Promise<Run[]> {
  const children = await registry.children(parentId);
  const background = children.filter((run) => run.background === true);
  if (background.length === 0) return [];
  const got = readGot(await registry.events(parentId), stepKey);
  return background.filter(({ id }) => !got.has(id));
}

function readGot(events: readonly RunEvent[], stepKey: string): Set<string> {
  const got = new Set<string>();
  for (const event of events) {
    if (event.type === "step-started" && event.key === stepKey) break;
    if (event.type === "results-collected") for (const id of event.runIds) got.add(id);
    if (event.type === "messages-delivered") for (const { id } of event.messages) got.add(id);
  }
  return got;
}
