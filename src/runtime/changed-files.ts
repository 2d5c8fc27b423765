import { isRecord } from "../source/json.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunEvent } from "../run/event.ts";
import type { RunSpec } from "../run/run.ts";
import { displayPath, isInside } from "../tool/path-confinement.ts";

/**
 * The files that a run and its descendants changed with their tools, relative to the workspace and in order of their first
 * change. What commands changed is not known.
 */
export async function findChangedFiles(
  registry: Pick<Registry, "family" | "events">,
  { rootId, workspace }: Pick<RunSpec, "rootId" | "workspace">,
  runId: string,
): Promise<string[]> {
  const inside = new Set([runId]);
  // A child comes after its parent.
  for (const { id, parentId } of await registry.family(rootId)) {
    if (parentId !== null && inside.has(parentId)) inside.add(id);
  }
  const journals = await Promise.all([...inside].map((id) => registry.events(id)));
  const changes = journals.flat().flatMap(changesOf);
  changes.sort((left, right) => left.at - right.at);
  const paths = changes.map(({ path }) => path).filter((path) => isInside(path, workspace));
  return [...new Set(paths.map((path) => displayPath(path, workspace)))];
}

interface Change {
  path: string;
  at: number;
}

/** What a journal says a call of a tool wrote; it may be one of an older version. */
function changesOf(event: RunEvent): Change[] {
  if (event.type !== "step-finished" || event.kind !== "tool" || !isRecord(event.value)) return [];
  const files: unknown = event.value["files"];
  return (Array.isArray(files) ? files : []).flatMap((file: unknown) => {
    if (!isRecord(file) || file["change"] !== "written") return [];
    return typeof file["path"] === "string" ? [{ path: file["path"], at: event.at }] : [];
  });
}
