import type { LoadedConfig } from "../../config/load-config.ts";
import { requireRun } from "../../delegate/tools/session-scope.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunChanges } from "../run-changes.ts";

/** A project that Cadre has opened. */
interface OpenedProject {
  project: { cwd: string; home: string };
  /** The state folder. */
  folder: string;
  configuration: LoadedConfig;
}

/** Creates the function that opens the changes of runs for tools. Its first call loads the code for git. */
export function createChangesOpener(
  registry: Registry,
  { project: { cwd, home }, folder: stateFolder, configuration }: OpenedProject,
): () => Promise<RunChanges> {
  return async () => {
    const { remote } = configuration.config.worker;
    const { createChanges } = await import("./create-changes.ts");
    const findRun = async (id: string): ReturnType<typeof requireRun> =>
      await requireRun(registry, id);
    return createChanges({ registry: () => registry, findRun, cwd, home, stateFolder, remote });
  };
}
