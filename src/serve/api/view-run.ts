import type { Cadre, RunOverview } from "../../host.ts";

/** A run as the API shows it. */
export interface ServedRun extends RunOverview {
  /** Its process is gone, so that it goes on only when it is resumed. */
  isLeft: boolean;
}

/** Adds to runs whether their processes are gone. */
export async function viewRuns(
  cadre: Pick<Cadre, "resumable">,
  runs: readonly RunOverview[],
): Promise<ServedRun[]> {
  const left = new Set(await cadre.resumable());
  return runs.map((run) => ({ ...run, isLeft: run.result === null && left.has(run.rootId) }));
}

/** Returns the run with this id. @throws CadreError `run-not-found`. */
export async function viewRun(cadre: Cadre, id: string): Promise<ServedRun> {
  const [run] = await viewRuns(cadre, [await (await cadre.find(id)).state()]);
  return run as ServedRun;
}
