import { isRegistryFailure } from "../../engine/life/ending.ts";
import type { Engine } from "../../engine/engine.ts";
import { CadreError } from "../../errors.ts";
import type { ResumeOptions } from "../cadre.ts";
import type { LazyServices } from "../services/lazy-services.ts";
import { findDependents } from "./find-dependents.ts";
import { findAbandoned } from "../../registry/find-abandoned.ts";
import { findRun, type Store } from "../services/store.ts";

/** Options of {@link resumeRuns}. */
export interface ResumeRunsOptions {
  store: Pick<Store, "openExisting">;
  services: Pick<LazyServices, "getToExecute">;
}

/** See `Cadre.resume`; returns the root ids. */
export async function resumeRuns(
  { store, services }: ResumeRunsOptions,
  id: string | undefined,
  options: ResumeOptions,
): Promise<string[]> {
  const registry = store.openExisting();
  if (options.models !== undefined) (await services.getToExecute()).nameModels(options.models);
  if (id !== undefined) {
    const { rootId } = await findRun(registry, id);
    const { others = true } = options;
    const isWithOthers = registry !== undefined && others;
    const dependents = isWithOthers ? await findDependents(registry, rootId) : [];
    const { engine } = await services.getToExecute();
    await engine.resume(rootId, { others });
    const onRefused = options.onRefused ?? warnOfRefusal;
    return [rootId, ...(await resumeAll(engine, dependents, { onRefused }))];
  }
  const roots = registry === undefined ? [] : await findAbandoned(registry);
  if (roots.length === 0) return [];
  return await resumeAll((await services.getToExecute()).engine, roots, options);
}

/** Resumes all runs that can be resumed. One refusal does not stop the others. */
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
      // Without a writable registry, no run can be resumed.
      if (!(error instanceof CadreError) || isRegistryFailure(error)) throw error;
      // Another process resumed it first, which is as good.
      if (error.code !== "run-owned") refused.push({ root, error });
    }
  }
  const [first] = refused;
  if (onRefused === undefined && first !== undefined && resumed.length === 0) throw first.error;
  // The resumed runs are running; an error would make the caller close Cadre and end them.
  for (const { root, error } of refused) (onRefused ?? warnOfRefusal)(root, error);
  return resumed;
}

function warnOfRefusal(_: string, { message }: CadreError): void {
  process.emitWarning(`A run was not resumed: ${message}`);
}
