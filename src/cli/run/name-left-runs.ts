import type { Cadre, Run } from "../../host.ts";
import { writeError } from "../terminal/output.ts";
import { runName } from "../view/tree-line.ts";

/** Names those of `runs`, and of their dependencies, whose process is gone: their shown status is the last recorded one. */
export async function nameLeftRuns(
  cadre: Pick<Cadre, "resumable" | "find">,
  runs: readonly Run[],
): Promise<void> {
  const left = new Set(await cadre.resumable());
  if (left.size === 0) return;
  for (const rootId of new Set(runs.map((run) => run.rootId))) {
    if (left.has(rootId)) {
      writeError(`The process of ${rootId} is gone; \`cadre resume ${rootId}\` continues it.`);
    }
  }
  for (const run of runs.filter(({ status }) => status === "waiting")) {
    for (const rootId of await findAwaitedRoots(cadre, run)) {
      if (!left.has(rootId) || rootId === run.rootId) continue;
      const who = `${runName(run)} (run ${run.id})`;
      writeError(
        `${who} waits for ${rootId}, whose process is gone; \`cadre resume ${rootId}\` continues that and what waits for it.`,
      );
    }
  }
}

/** Returns the families of the dependencies of `run`; a deleted run has none. */
async function findAwaitedRoots(cadre: Pick<Cadre, "find">, run: Run): Promise<Set<string>> {
  const found = run.dependsOn.map(async (id) => {
    try {
      return [(await (await cadre.find(id)).state()).rootId];
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "run-not-found") return [];
      throw error;
    }
  });
  return new Set((await Promise.all(found)).flat());
}
