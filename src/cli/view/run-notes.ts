import { shortRunId } from "../../short-run-id.ts";
import type { Run } from "../../host.ts";

/** Returns notes on a run: its cached result, origin, conversation, detachment, attempt, and the model that took over. */
export function noteRun(run: Omit<Run, "continues"> & { continues?: string }): string[] {
  const { cachedFrom, lineage, continues, detached, retries, firstModel, model } = run;
  return [
    ...(cachedFrom === undefined ? [] : ["cached"]),
    ...(lineage === undefined ? [] : [describeLineage(lineage)]),
    ...(continues === undefined || lineage !== undefined
      ? []
      : [`continues ${shortRunId(continues)}`]),
    ...(detached === true ? ["detached"] : []),
    ...(retries === undefined ? [] : [`attempt ${retries + 1}`]),
    ...(firstModel === undefined ? [] : [`with ${model}`]),
  ];
}

/** Describes the origin of a run, such as `fork of 7f6d0n2 at model/3`. */
export function describeLineage(lineage: NonNullable<Run["lineage"]>): string {
  const from = `${lineage.kind} of ${shortRunId(lineage.runId)}`;
  return lineage.kind === "fork" ? `${from} at ${lineage.step}` : from;
}

/** Returns the names of a run's unfinished dependencies; `find` resolves their labels. */
export function nameAwaited(run: Run, find: (id: string) => Run | undefined): string {
  const awaited = run.dependsOn.filter((id) => !isOver(find(id)));
  return awaited.map((id) => find(id)?.label ?? shortRunId(id)).join(", ");
}

function isOver(run: Run | undefined): boolean {
  return run !== undefined && run.endedAt !== null;
}
