import { requireRun } from "../../delegate/tools/session-scope.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunChanges } from "../run-changes.ts";
import type { ChangesPlace } from "./find-worktrees.ts";

/** Creates the function that opens the changes of runs for tools. The code for git is loaded then. */
export function createChangesOpener(
  registry: Registry,
  place: ChangesPlace,
): () => Promise<RunChanges> {
  return async () => {
    const { createChanges } = await import("./create-changes.ts");
    const findRun = async (id: string): ReturnType<typeof requireRun> =>
      await requireRun(registry, id);
    return createChanges({ registry: () => registry, findRun, ...place });
  };
}
