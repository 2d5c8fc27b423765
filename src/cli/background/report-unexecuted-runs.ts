import type { Cadre, Run } from "../../host.ts";
import { shortRunId } from "../../short-run-id.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { writeError } from "../terminal/output.ts";
import { runName } from "../view/tree-line.ts";
import { describeWait } from "../run/report-waiting.ts";
import { findBackground } from "./background-family.ts";

type RunReader = Pick<Cadre, "resumable" | "find" | "stateFolder" | "waitingFamilies">;

/** Returns the roots of the families that no process executes and that wait for no worker. */
export async function findLeft(cadre: Pick<Cadre, "resumable">): Promise<ReadonlySet<string>> {
  return new Set(await cadre.resumable());
}

/**
 * Names the families of `runs` that no process executes, because they wait for a worker or because their process is gone. The
 * status that is shown for their runs is the last recorded one. `left` are the roots of {@link findLeft}.
 */
export async function reportUnexecutedRuns(
  cadre: RunReader,
  runs: readonly Run[],
  left: ReadonlySet<string>,
): Promise<void> {
  await reportWaitingFamilies(cadre, runs);
  await reportAbandonedRuns(cadre, runs, left);
}

/** Writes a line for each reason why families wait for a worker. */
async function reportWaitingFamilies(cadre: RunReader, runs: readonly Run[]): Promise<void> {
  const roots = new Set(runs.filter(({ endedAt }) => endedAt === null).map(({ rootId }) => rootId));
  if (roots.size === 0) return;
  const waiting = (await cadre.waitingFamilies()).filter(({ rootId }) => roots.has(rootId));
  for (const [reason, families] of Map.groupBy(waiting, describeWait)) {
    writeError(`${families.map(({ rootId }) => shortRunId(rootId)).join(", ")}: ${reason}`);
  }
}

async function reportAbandonedRuns(
  cadre: RunReader,
  runs: readonly Run[],
  left: ReadonlySet<string>,
): Promise<void> {
  if (left.size === 0) return;
  for (const rootId of new Set(runs.map((run) => run.rootId))) {
    if (left.has(rootId)) await reportAbandonedRun(cadre, rootId);
  }
  for (const run of runs.filter(({ status }) => status === "waiting")) {
    for (const rootId of await findAwaitedRoots(cadre, run)) {
      if (!left.has(rootId) || rootId === run.rootId) continue;
      const who = `${runName(run)} (run ${run.id})`;
      writeError(
        `${who} waits for ${rootId}, whose process is gone; \`cadre resume ${rootId}\` continues it and the runs that wait for it.`,
      );
    }
  }
}

/** Says why no process executes a family. A background family that a supervisor is about to execute is not named. */
async function reportAbandonedRun({ stateFolder }: RunReader, rootId: string): Promise<void> {
  const background = await findBackground(stateFolder, rootId);
  const command = `cadre resume ${rootId}`;
  if (background?.problem !== undefined) {
    const problem = cleanLine(background.problem);
    writeError(`No process executes ${rootId}: ${problem} To continue it: ${command}`);
  } else if (background === undefined || !(await hasSupervisor(stateFolder))) {
    writeError(`The process of ${rootId} is gone; \`${command}\` continues it.`);
  }
}

async function hasSupervisor(stateFolder: string): Promise<boolean> {
  const { findRunningSupervisor } = await import("./supervisor-record.ts");
  return (await findRunningSupervisor(stateFolder)) !== undefined;
}

/** Returns the root ids of the families of a run's dependencies; deleted dependencies have none. */
async function findAwaitedRoots(cadre: RunReader, run: Run): Promise<Set<string>> {
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
