import type { Cadre, RunOverview, ServedRun } from "../../host.ts";

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

/**
 * Returns the root of a run's family. Reads the run's first event, because reading the state of the run would sum all its descendants.
 *
 * @throws CadreError `run-not-found`.
 */
export async function readRootId(cadre: Cadre, id: string): Promise<string> {
  const run = await cadre.find(id);
  const [first] = await run.journal({ limit: 1 });
  return first?.type === "run-created" ? first.spec.rootId : (await run.state()).rootId;
}
