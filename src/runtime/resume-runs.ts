import type { Engine } from "../engine/engine.ts";
import { CadreError } from "../errors.ts";
import type { LazyExecutive } from "./lazy-executive.ts";
import { findRun, type Store } from "./store.ts";

/** See `Cadre.resume`; returns the roots. */
export async function resumeRuns(
  store: Pick<Store, "openExisting">,
  executive: Pick<LazyExecutive, "getToExecute">,
  id: string | undefined,
): Promise<string[]> {
  const registry = store.openExisting();
  if (id !== undefined) {
    const { rootId } = await findRun(registry, id);
    await (await executive.getToExecute()).engine.resume(rootId);
    return [rootId];
  }
  const roots = (await registry?.abandoned()) ?? [];
  return roots.length === 0 ? [] : await resumeAll((await executive.getToExecute()).engine, roots);
}

/** Resumes those that can be resumed; one that cannot must not keep the others from it. */
async function resumeAll(
  engine: Pick<Engine, "resume">,
  roots: readonly string[],
): Promise<string[]> {
  const resumed: string[] = [];
  const problems: CadreError[] = [];
  for (const root of roots) {
    try {
      await engine.resume(root);
      resumed.push(root);
    } catch (error) {
      if (!(error instanceof CadreError)) throw error;
      // Another process was quicker: the run is at work, as was wished.
      if (error.code !== "run-owned") problems.push(error);
    }
  }
  const [problem] = problems;
  if (problem !== undefined && resumed.length === 0) throw problem;
  // Those that were resumed are at work; an error thrown here would make the caller close Cadre and so end them.
  for (const { message } of problems) process.emitWarning(`A run was not resumed: ${message}`);
  return resumed;
}
