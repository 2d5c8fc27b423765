import { shortRunId } from "../../short-run-id.ts";
import type { Cadre, CadreOptions, DbosOptions, RunHandle, WaitingFamily } from "../../host.ts";
import { describeWait } from "../run/report-waiting.ts";
import { openSubmitting } from "./start-runs.ts";
import { writeError, writeJson, writeLine } from "../terminal/output.ts";

/** Options of {@link runDetached}. */
export interface DetachedRequest {
  options: CadreOptions;
  /** Which workers execute the run and how its files reach them. */
  dbosOptions: DbosOptions;
  /** Whether to write `{ runId }` instead of text. */
  json: boolean | undefined;
  /** Starts the run. */
  begin: (cadre: Cadre, note: (line: string) => void) => Promise<RunHandle>;
}

/** Creates a run and gives it to the workers. Says how to watch it and why it waits. */
export async function runDetached({
  options,
  dbosOptions,
  json,
  begin,
}: DetachedRequest): Promise<void> {
  const cadre = await openSubmitting(options, dbosOptions);
  let runId: string;
  let waiting: WaitingFamily | undefined;
  try {
    runId = (await begin(cadre, writeError)).id;
    if (json !== true) waiting = await cadre.waiting(runId);
  } finally {
    await cadre.close({ leaveRuns: true });
  }
  if (json === true) return writeJson({ runId });
  const id = shortRunId(runId);
  writeLine(runId);
  writeError(`A worker executes it: cadre attach ${id}, cadre logs ${id}, cadre cancel ${id}.`);
  if (waiting?.reason != null) writeError(describeWait(waiting));
}
