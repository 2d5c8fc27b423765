import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRegistry } from "../../src/registry/sqlite-registry.ts";
import type { RunEvent } from "../../src/run/event.ts";
import type { Run } from "../../src/run/run.ts";
import type { ModelServer } from "./model-server.ts";

/** A project in a temporary folder in which a family of runs is executed, killed and resumed. */
export interface Project {
  folder: string;
  /** Executes `worker.ts` until it ends or is killed; resolves with what it printed, or `null` when it was killed. */
  execute(command: "start" | "resume", kill: Kill): Promise<string | null>;
  journal(): Promise<{ run: Run; events: RunEvent[] }[]>;
  /** The names of the side effects that happened, in order. */
  effects(): Promise<string[]>;
  remove(): Promise<void>;
}

/**
 * When to kill: after so many durable events, after so many milliseconds, while the command of a side effect is still at
 * work, or not at all.
 */
export type Kill = { afterEvents: number } | { afterMs: number } | { atEffect: string } | "never";

const worker = join(import.meta.dirname, "worker.ts");
const agents = {
  worker: "You are worker.",
  lead: "You are lead.",
};

/** Makes a project whose agents are played by `server`. */
export async function createProject(server: ModelServer): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), "cadre-durability-"));
  const home = join(folder, "home");
  const work = join(folder, "work");
  await mkdir(join(home, ".cadre"), { recursive: true });
  await mkdir(join(work, ".cadre", "agents"), { recursive: true });
  const config = { models: { endpoints: { mock: { baseUrl: server.baseUrl } } }, sandbox: "off" };
  await writeFile(join(home, ".cadre", "config.yaml"), JSON.stringify(config));
  await writeFile(join(work, "input.txt"), "some input\n");
  for (const [name, body] of Object.entries(agents)) {
    const text = `---\nname: ${name}\ndescription: plays ${name}\n---\n${body}\n`;
    await writeFile(join(work, ".cadre", "agents", `${name}.md`), text);
  }
  return {
    folder: work,
    execute: (command, kill) => execute({ command, kill, work, home }),
    journal: () => readJournal(work),
    effects: () => readEffects(work),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function execute(options: {
  command: string;
  kill: Kill;
  work: string;
  home: string;
}): Promise<string | null> {
  const { command, kill, work, home } = options;
  const afterEvents = typeof kill === "object" && "afterEvents" in kill ? kill.afterEvents : 0;
  const child = spawn(process.execPath, [worker, command, String(afterEvents)], {
    cwd: work,
    env: { PATH: process.env["PATH"], HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stopWaiting = killLater(kill, work, () => child.kill("SIGKILL"));
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const signal = await new Promise<NodeJS.Signals | null>((resolve) =>
    child.on("close", (_code, by) => resolve(by)),
  );
  stopWaiting();
  return signal === "SIGKILL" ? null : printed;
}

async function readEffects(work: string): Promise<string[]> {
  const text = await readFile(join(work, "effects.log"), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** Kills from outside, where `kill` says so; the returned function takes that back. */
function killLater(kill: Kill, work: string, end: () => void): () => void {
  if (typeof kill !== "object" || "afterEvents" in kill) return () => undefined;
  if ("afterMs" in kill) {
    const timer = setTimeout(end, kill.afterMs);
    return () => clearTimeout(timer);
  }
  const watch = setInterval(() => {
    void readEffects(work).then((effects) => effects.includes(kill.atEffect) && end());
  }, 5);
  return () => clearInterval(watch);
}

async function readJournal(work: string): Promise<{ run: Run; events: RunEvent[] }[]> {
  const registry = openRegistry({ path: join(work, ".cadre", "state", "cadre.db") });
  try {
    const runs = await registry.runs({ limit: 1000 });
    return await Promise.all(
      runs.map(async (run) => ({ run, events: await registry.events(run.id) })),
    );
  } finally {
    await registry.close();
  }
}
