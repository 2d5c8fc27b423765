import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openRegistry } from "../../src/registry/sqlite/sqlite-registry.ts";
import { testRegistryOption } from "../fixtures/registry/test-registry.ts";
import type { RunEvent } from "../../src/run/event.ts";
import type { Run } from "../../src/run/run.ts";
import { createCadre } from "../../src/index.ts";
import { processEnvironment } from "../fixtures/process-environment.ts";
import { type ExecutionRequest, executeRuns } from "./execute-runs.ts";
import { executeAndKill, type Kill, readEffects, type Work } from "./execute-and-kill.ts";

/** A project in a temporary folder, in which a family of runs is executed, killed and resumed. */
export interface KillableProject {
  folder: string;
  /**
   * Executes its runs until they end or are killed. Resolves with the result of the root as JSON, or `null` when they were
   * killed. Runs to be killed have a separate process. Others have none, because such a process mostly loads the library.
   */
  execute(command: FamilyCommand, kill: Kill | "never"): Promise<string | null>;
  /** Returns the data with which a process executes its runs. */
  work(command: FamilyCommand): Work;
  journal(): Promise<ProjectJournals>;
  /** Returns the names of the side effects that happened, in order. */
  effects(): Promise<string[]>;
  remove(): Promise<void>;
}

/** The journals of all runs of a project. */
export type ProjectJournals = readonly { run: Run; events: readonly RunEvent[] }[];

export type FamilyCommand = "start" | "resume";

/** The content of a project. */
export interface ProjectContent {
  /** Texts by their paths in the working folder. */
  files: Readonly<Record<string, string>>;
  /** The user's configuration. */
  config?: object;
  execution: ExecutionRequest;
}

/** Creates a project in a temporary folder. */
export async function createKillableProject({
  files,
  config = {},
  execution,
}: ProjectContent): Promise<KillableProject> {
  const folder = await mkdtemp(join(tmpdir(), "cadre-durability-"));
  const home = join(folder, "home");
  const work = join(folder, "work");
  await mkdir(join(home, ".cadre"), { recursive: true });
  await writeFile(join(home, ".cadre", "config.yaml"), JSON.stringify(config));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(work, path)), { recursive: true });
    await writeFile(join(work, path), text);
  }
  const environment = { ...processEnvironment(home), CADRE_STATE_DIR: stateOf(home) };
  const workOf = (command: FamilyCommand): Work => ({
    cwd: work,
    home,
    environment,
    execution,
    command,
  });
  return {
    folder: work,
    async execute(command, kill) {
      const [result = null] = await executeTogether([workOf(command)], kill);
      return result;
    },
    work: workOf,
    journal: () => readJournal(home),
    effects: () => readEffects(work),
    // A command of a killed process may still be writing.
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** Executes a new project with a kill, and then to its end, which `expectWhole` checks. Returns whether it was killed. */
export async function executeWithKill(
  project: KillableProject,
  expectWhole: (project: KillableProject) => Promise<void>,
  kill: Kill,
): Promise<boolean> {
  try {
    const isKilled = (await project.execute("start", kill)) === null;
    if (isKilled) await project.execute("resume", "never");
    await expectWhole(project);
    return isKilled;
  } finally {
    await project.remove();
  }
}

/** Executes runs of several projects at the same time, as `execute` of {@link KillableProject} does for one project. */
export async function executeTogether(
  works: readonly Work[],
  kill: Kill | "never",
): Promise<(string | null)[]> {
  return kill === "never"
    ? await Promise.all(works.map(executeHere))
    : await executeAndKill(works, kill);
}

async function executeHere({ command, execution, ...project }: Work): Promise<string> {
  const registry = testRegistryOption(project.home);
  const cadre = await createCadre({ ...execution.options, ...project, ...registry });
  return JSON.stringify(await executeRuns(cadre, command, execution));
}

function stateOf(home: string): string {
  return join(home, "state");
}

async function readJournal(home: string): Promise<ProjectJournals> {
  const path = join(stateOf(home), "cadre.db");
  const registry = testRegistryOption(home).registry?.openRegistry([]) ?? openRegistry({ path });
  try {
    const runs = await registry.runs({ limit: 1000 });
    return await Promise.all(
      runs.map(async (run) => ({ run, events: await registry.events(run.id) })),
    );
  } finally {
    await registry.close();
  }
}
