import type { Run } from "../index.ts";

/** What commands take for an id: the part behind the dash. */
export function shortId(id: string): string {
  return id.split("-").at(-1) ?? id;
}

/** What is particular about a run: whose result it has, what it was made from, whether it outlives its parent, tries again. */
export function noteRun({ cachedFrom, lineage, detached, retries }: Run): string[] {
  return [
    ...(cachedFrom === undefined ? [] : ["cached"]),
    ...(lineage === undefined ? [] : [describeLineage(lineage)]),
    ...(detached === true ? ["detached"] : []),
    ...(retries === undefined ? [] : [`attempt ${retries + 1}`]),
  ];
}

/** Such as `fork of 7f6d0n2 at model/3`. */
export function describeLineage(lineage: NonNullable<Run["lineage"]>): string {
  const from = `${lineage.kind} of ${shortId(lineage.runId)}`;
  return lineage.kind === "fork" ? `${from} at ${lineage.step}` : from;
}

/** The names of the runs that `run` still waits for, by label where `find` knows them. */
export function nameAwaited(run: Run, find: (id: string) => Run | undefined): string {
  const awaited = run.dependsOn.filter((id) => !isOver(find(id)));
  return awaited.map((id) => find(id)?.label ?? shortId(id)).join(", ");
}

function isOver(run: Run | undefined): boolean {
  return run !== undefined && run.endedAt !== null;
}
