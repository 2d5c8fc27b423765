import type { Registry } from "../registry/registry.ts";
import type { RunEvent } from "../run/event.ts";
import type { Run } from "../run/run.ts";

/**
 * The runs that `parentId` has in the background and whose results it had not got when the step `stepKey` began: neither in
 * its conversation nor from a tool. What the step itself collected before it was interrupted counts as not got.
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
