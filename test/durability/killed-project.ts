import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { openRegistry } from "../../src/registry/sqlite/sqlite-registry.ts";
import { testRegistryOption } from "../fixtures/registry/test-registry.ts";
import type { RunEvent } from "../../src/run/event.ts";
import type { Run } from "../../src/run/run.ts";
import { createCadre } from "../../src/index.ts";
import { processEnvironment } from "../fixtures/process-environment.ts";
import { type Execution, executeRuns } from "./execute-runs.ts";

const worker = join(import.meta.dirname, "worker.ts");

/** A project in a temporary folder in which a family of runs is executed, killed and resumed. */
export interface Project {
  folder: string;
  /**
   * Executes its runs until they end or are killed; resolves with the result of the root as JSON, or `null` when they were
   * killed. Runs that are to be killed have a separate process; others do not, because such a process mostly loads the library.
   */
  execute(command: Command, kill: Kill): Promise<string | null>;
  journal(): Promise<{ run: Run; events: RunEvent[] }[]>;
  /** The names of the side effects that happened, in order. */
  effects(): Promise<string[]>;
  remove(): Promise<void>;
}

/**
 * When to kill: right after a number of durable events, some milliseconds later, while the command of a side effect is still
 * running, or not at all. A held side effect does not end before the kill, however late that is.
 */
export type Kill =
  | { afterEvents: number }
  | { nearEvent: number; delayMs: number; held?: string }
  | { atEffect: string }
  | "never";

export type Command = "start" | "resume";

/** The content of a project. */
export interface ProjectContent {
  /** Texts by their paths in the working folder. */
  files: Readonly<Record<string, string>>;
  /** The configuration of its user. */
  config?: object;
  execution: Execution;
}

/** Makes a project in a temporary folder. */
export async function createProject({
  files,
  config = {},
  execution,
}: ProjectContent): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), "cadre-durability-"));
  const home = join(folder, "home");
  const work = join(folder, "work");
  await mkdir(join(home, ".cadre"), { recursive: true });
  await writeFile(join(home, ".cadre", "config.yaml"), JSON.stringify(config));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(work, path)), { recursive: true });
    await writeFile(join(work, path), text);
  }
  const place: Place = { work, home, execution };
  return {
    folder: work,
    execute: (command, kill) =>
      kill === "never" ? executeHere(place, command) : executeAndKill(place, command, kill),
    journal: () => readJournal(home),
    effects: () => readEffects(work),
    // A command of a killed process may still be writing.
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** Executes a new project with a kill, and then to its end, which `expectWhole` checks; returns whether it was killed. */
export async function executeWithKill(
  project: Project,
  expectWhole: (project: Project) => Promise<void>,
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

interface Place {
  work: string;
  home: string;
  execution: Execution;
}

function environmentOf(home: string): Record<string, string> {
  return { ...processEnvironment(home), CADRE_STATE_DIR: stateOf(home) };
}

async function executeHere({ work, home, execution }: Place, command: Command): Promise<string> {
  const place = { cwd: work, home, environment: environmentOf(home) };
  const cadre = await createCadre({
    ...execution.options,
    ...place,
    ...testRegistryOption(home),
  });
  return JSON.stringify(await executeRuns(cadre, command, execution));
}

async function executeAndKill(
  { work, home, execution }: Place,
  command: Command,
  kill: Exclude<Kill, "never">,
): Promise<string | null> {
  const held = heldBy(kill);
  if (held !== null) await writeFile(join(work, `hold-${held}`), "");
  const afterEvents = "afterEvents" in kill ? kill.afterEvents : 0;
  const words = [worker, command, String(afterEvents), JSON.stringify(execution)];
  const child = spawn(process.execPath, words, {
    cwd: work,
    env: environmentOf(home),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (printed += chunk));
  const stopWaiting = killLater(kill, work, child);
  const signal = await new Promise<NodeJS.Signals | null>((resolve) =>
    child.on("close", (_code, by) => resolve(by)),
  );
  stopWaiting();
  if (held !== null) await rm(join(work, `hold-${held}`));
  return signal === "SIGKILL" ? null : printed.trim();
}

function heldBy(kill: Exclude<Kill, "never">): string | null {
  if ("afterEvents" in kill) return null;
  return ("atEffect" in kill ? kill.atEffect : kill.held) ?? null;
}

async function readEffects(work: string): Promise<string[]> {
  const text = await readFile(join(work, "effects.log"), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** Kills from outside if `kill` says so; the returned function cancels that. */
function killLater(
  kill: Exclude<Kill, "never">,
  work: string,
  child: ChildProcessByStdio<null, Readable, null>,
): () => void {
  if ("afterEvents" in kill) return () => undefined;
  const end = (): void => void child.kill("SIGKILL");
  if ("nearEvent" in kill) {
    let lines = 0;
    let timer: NodeJS.Timeout | undefined;
    child.stdout.on("data", (chunk: string) => {
      lines += chunk.split("\n").length - 1;
      // The first line only reports the start.
      if (lines > kill.nearEvent) timer ??= setTimeout(end, kill.delayMs);
    });
    return () => clearTimeout(timer);
  }
  const watch = setInterval(() => {
    void readEffects(work).then((effects) => effects.includes(kill.atEffect) && end());
  }, 5);
  return () => clearInterval(watch);
}

function stateOf(home: string): string {
  return join(home, "state");
}

async function readJournal(home: string): Promise<{ run: Run; events: RunEvent[] }[]> {
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
