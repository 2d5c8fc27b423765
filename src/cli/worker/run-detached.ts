import { shortRunId } from "../../short-run-id.ts";
import type { Cadre, CadreOptions, DbosOptions, RunHandle } from "../../host.ts";
import { openSubmitting } from "./start-runs.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { writeError, writeJson, writeLine } from "../terminal/output.ts";

/** Options of {@link runDetached}. */
export interface DetachedRequest {
  options: CadreOptions;
  /** Which workers execute the run, and how its files reach them. */
  way: DbosOptions;
  /** Write `{ runId }` instead of text. */
  json: boolean | undefined;
  /** Starts the run. */
  begin: (cadre: Cadre, note: (line: string) => void) => Promise<RunHandle>;
}

/** Creates a run, gives it to the workers, and says how to watch it, and what it waits for. */
export async function runDetached({ options, way, json, begin }: DetachedRequest): Promise<void> {
  const { configuredSource, listWork } = await import("../../host.ts");
  const cadre = await openSubmitting(options, way);
  let runId: string;
  try {
    runId = (await begin(cadre, writeError)).id;
  } finally {
    await cadre.close({ leaveRuns: true });
  }
  if (json === true) return writeJson({ runId });
  const id = shortRunId(runId);
  writeLine(runId);
  writeError(`A worker executes it: cadre attach ${id}, cadre logs ${id}, cadre cancel ${id}.`);
  const { waiting } = await listWork({
    registry: await configuredSource(cadre.configuration.config),
  });
  const reason = waiting.find(({ rootId }) => rootId === runId)?.reason ?? null;
  if (reason !== null) writeError(`It waits. ${cleanLine(reason)}`);
}
