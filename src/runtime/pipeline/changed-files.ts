import { isRecord } from "../../source/json.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunEvent } from "../../run/event.ts";
import type { RunSpec } from "../../run/run.ts";
import { selectDescendants } from "../../run/select-descendants.ts";
import { isInside } from "../../source/file/real-path.ts";
import { displayPath } from "../../tool/path/path-confinement.ts";

/**
 * Lists the files that a run and its descendants changed with tools, relative to the workspace, in order of their first change.
 * Changes by commands are unknown.
 */
export async function listChangedFiles(
  registry: Pick<Registry, "family" | "events">,
  { rootId, workspace }: Pick<RunSpec, "rootId" | "workspace">,
  runId: string,
): Promise<string[]> {
  const below = selectDescendants(runId, await registry.family(rootId));
  const ids = [runId, ...below.map(({ id }) => id)];
  const journals = await Promise.all(ids.map((id) => registry.events(id)));
  const changes = journals.flat().flatMap(changesOf);
  changes.sort((left, right) => left.at - right.at);
  const paths = changes.map(({ path }) => path).filter((path) => isInside(path, workspace));
  return [...new Set(paths.map((path) => displayPath(path, workspace)))];
}

interface Change {
  path: string;
  at: number;
}

/** Reads the changes of a tool call from a journal, possibly of an older version. */
function changesOf(event: RunEvent): Change[] {
  if (event.type !== "step-finished" || event.kind !== "tool" || !isRecord(event.value)) return [];
  const files: unknown = event.value["files"];
  return (Array.isArray(files) ? files : []).flatMap((file: unknown) => {
    if (!isRecord(file) || file["change"] !== "written") return [];
    return typeof file["path"] === "string" ? [{ path: file["path"], at: event.at }] : [];
  });
}
