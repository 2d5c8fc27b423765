import type { Cadre, Run } from "../index.ts";
import { writeError } from "./output.ts";

/** Says of which of `runs` the process is gone: their status is the last one it wrote down. */
export async function nameLeftRuns(
  cadre: Pick<Cadre, "resumable">,
  runs: readonly Run[],
): Promise<void> {
  const left = new Set(await cadre.resumable());
  for (const rootId of new Set(runs.map((run) => run.rootId))) {
    if (left.has(rootId)) {
      writeError(`The process of ${rootId} is gone; \`cadre resume ${rootId}\` continues it.`);
    }
  }
}
