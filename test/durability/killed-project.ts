import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { openRegistry } from "../../src/registry/sqlite-registry.ts";
import type { RunEvent } from "../../src/run/event.ts";
import type { Run } from "../../src/run/run.ts";
import { processEnvironment } from "../fixtures/process-environment.ts";

/** A project in a temporary folder in which a family of runs is executed, killed and resumed. */
export interface Project {
  folder: string;
  /** Executes its worker until it ends or is killed; resolves with what it printed, or `null` when it was killed. */
  execute(command: "start" | "resume", kill: Kill): Promise<string | null>;
  journal(): Promise<{ run: Run; events: RunEvent[] }[]>;
  /** The names of the side effects that happened, in order. */
  effects(): Promise<string[]>;
  remove(): Promise<void>;
}

/**
 * When to kill: right after so many durable events, some milliseconds after that, while the command of a side effect is
 * still at work, or not at all. The side effect that is held does not end before the kill, however late that comes.
 */
export type Kill =
  | { afterEvents: number }
  | { nearEvent: number; delayMs: number; held?: string }
  | { atEffect: string }
  | "never";

/** What is in a project. */
export interface ProjectContent {
  /** Texts by their paths in the working folder. */
  files: Readonly<Record<string, string>>;
  /** The configuration of its user. */
  config?: object;
  /** The file of this folder that is executed. */
  worker: string;
}

/** Makes a project in a temporary folder. */
export async function createProject({
  files,
  config = {},
  worker,
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
  const script = join(import.meta.dirname, worker);
  return {
    folder: work,
    execute: (command, kill) => execute({ script, command, kill, work, home }),
    journal: () => readJournal(stateOf(home)),
    effects: () => readEffects(work),
    // A command of a killed process may still be writing.
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

async function execute(options: {
  script: string;
  command: string;
  kill: Kill;
  work: string;
  home: string;
}): Promise<string | null> {
  const { script, command, kill, work, home } = options;
  const held = heldBy(kill);
  if (held !== null) await writeFile(join(work, `hold-${held}`), "");
  const afterEvents = typeof kill === "object" && "afterEvents" in kill ? kill.afterEvents : 0;
  const child = spawn(process.execPath, [script, command, String(afterEvents)], {
    cwd: work,
    env: { ...processEnvironment(home), CADRE_STATE_DIR: stateOf(home) },
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

function heldBy(kill: Kill): string | null {
  if (kill === "never" || "afterEvents" in kill) return null;
  return ("atEffect" in kill ? kill.atEffect : kill.held) ?? null;
}

async function readEffects(work: string): Promise<string[]> {
  const text = await readFile(join(work, "effects.log"), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** Kills from outside, where `kill` says so; the returned function takes that back. */
function killLater(
  kill: Kill,
  work: string,
  child: ChildProcessByStdio<null, Readable, null>,
): () => void {
  if (kill === "never" || "afterEvents" in kill) return () => undefined;
  const end = (): void => void child.kill("SIGKILL");
  if ("nearEvent" in kill) {
    let lines = 0;
    let timer: NodeJS.Timeout | undefined;
    child.stdout.on("data", (chunk: string) => {
      lines += chunk.split("\n").length - 1;
      // The first line says only that it has begun.
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

async function readJournal(folder: string): Promise<{ run: Run; events: RunEvent[] }[]> {
  const registry = openRegistry({ path: join(folder, "cadre.db") });
  try {
    const runs = await registry.runs({ limit: 1000 });
    return await Promise.all(
      runs.map(async (run) => ({ run, events: await registry.events(run.id) })),
    );
  } finally {
    await registry.close();
  }
}
