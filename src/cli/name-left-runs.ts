import type { Cadre, Run } from "../index.ts";
import { writeError } from "./output.ts";
import { nameOf } from "./tree-line.ts";

/** Says of which of `runs`, and of which they wait for, the process is gone: their status is the last one it wrote down. */
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
      const who = `${nameOf(run)} (run ${run.id})`;
      writeError(
        `${who} waits for ${rootId}, whose process is gone; \`cadre resume ${rootId}\` continues that and what waits for it.`,
      );
    }
  }
}

/** The families of the runs that `run` depends on; one that is not there any more has none. */
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
