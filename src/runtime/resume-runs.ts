import { isRegistryFailure } from "../engine/ending.ts";
import type { Engine } from "../engine/engine.ts";
import { CadreError } from "../errors.ts";
import type { ResumeOptions } from "./cadre.ts";
import type { LazyExecutive } from "./lazy-executive.ts";
import { findDependents } from "./resume/find-dependents.ts";
import { findRun, type Store } from "./store.ts";

/** What {@link resumeRuns} needs. */
export interface ResumePlace {
  store: Pick<Store, "openExisting">;
  executive: Pick<LazyExecutive, "getToExecute">;
}

/** See `Cadre.resume`; returns the roots. */
export async function resumeRuns(
  { store, executive }: ResumePlace,
  id: string | undefined,
  options: ResumeOptions,
): Promise<string[]> {
  const registry = store.openExisting();
  if (id !== undefined) {
    const { rootId } = await findRun(registry, id);
    const dependents = registry === undefined ? [] : await findDependents(registry, rootId);
    const { engine } = await executive.getToExecute();
    await engine.resume(rootId);
    const onRefused = options.onRefused ?? warnOfRefusal;
    return [rootId, ...(await resumeAll(engine, dependents, { onRefused }))];
  }
  const roots = (await registry?.abandoned()) ?? [];
  if (roots.length === 0) return [];
  return await resumeAll((await executive.getToExecute()).engine, roots, options);
}

/** Resumes those that can be resumed; one that cannot must not keep the others from it. */
async function resumeAll(
  engine: Pick<Engine, "resume">,
  roots: readonly string[],
  { onRefused }: ResumeOptions,
): Promise<string[]> {
  const resumed: string[] = [];
  const refused: { root: string; error: CadreError }[] = [];
  for (const root of roots) {
    try {
      await engine.resume(root);
      resumed.push(root);
    } catch (error) {
      // With a registry that cannot be written none of them can be resumed.
      if (!(error instanceof CadreError) || isRegistryFailure(error)) throw error;
      // Another process was quicker: the run is at work, as was wished.
      if (error.code !== "run-owned") refused.push({ root, error });
    }
  }
  const [first] = refused;
  if (onRefused === undefined && first !== undefined && resumed.length === 0) throw first.error;
  // Those that were resumed are at work; an error thrown here would make the caller close Cadre and so end them.
  for (const { root, error } of refused) (onRefused ?? warnOfRefusal)(root, error);
  return resumed;
}

function warnOfRefusal(_: string, { message }: CadreError): void {
  process.emitWarning(`A run was not resumed: ${message}`);
}
