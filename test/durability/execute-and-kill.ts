import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { ExecutionRequest } from "./execute-runs.ts";

const worker = join(import.meta.dirname, "worker.ts");

/** The runs of a project and the folders in which a process executes them. */
export interface Work {
  command: "start" | "resume";
  execution: ExecutionRequest;
  cwd: string;
  home: string;
  environment: Record<string, string>;
}

/** The work of a process, given as its argument: several projects at the same time. */
export interface Works {
  works: readonly Work[];
  /** The number of durable events after which the process kills itself; 0 means never. */
  killAfter: number;
}

/**
 * When to kill: right after a number of durable events, some milliseconds later, or while the command of a side effect is still
 * running. The events of all projects of the process count. A held side effect does not end before the kill, however late that is.
 */
export type Kill =
  | { afterEvents: number }
  | { nearEvent: number; delayMs: number; held?: string }
  | { atEffect: string };

/**
 * Executes the runs of `works` in one process until they end or the process is killed. Resolves, for each of them, with the
 * result of its root as JSON, or `null` when it had not ended at the kill.
 */
export async function executeAndKill(
  works: readonly Work[],
  kill: Kill,
): Promise<(string | null)[]> {
  const held = heldBy(kill);
  const holds = held === null ? [] : works.map(({ cwd }) => join(cwd, `hold-${held}`));
  for (const hold of holds) await writeFile(hold, "");
  const workerInput: Works = { works, killAfter: "afterEvents" in kill ? kill.afterEvents : 0 };
  const child = spawn(process.execPath, [worker, JSON.stringify(workerInput)], {
    cwd: works[0]?.cwd,
    env: works[0]?.environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (printed += chunk));
  const stopWaiting = killLater(kill, works, child);
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.on("close", (...end) => resolve(end)),
  );
  stopWaiting();
  for (const hold of holds) await rm(hold);
  if (code !== 0 && signal !== "SIGKILL") {
    throw new Error(
      `Expected the process to end or to be killed; it ended with ${code ?? signal}.`,
    );
  }
  const results = new Map(
    Array.from(printed.matchAll(/^(\d+) (.*)\n/gm), ([, at, result = ""]) => [Number(at), result]),
  );
  return works.map((_, at) => results.get(at) ?? null);
}

function heldBy(kill: Kill): string | null {
  if ("afterEvents" in kill) return null;
  return ("atEffect" in kill ? kill.atEffect : kill.held) ?? null;
}

/** The names of the side effects that happened in a working folder, in order. */
export async function readEffects(cwd: string): Promise<string[]> {
  const text = await readFile(join(cwd, "effects.log"), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** Kills from outside if `kill` requires it. The returned function cancels the kill. */
function killLater(
  kill: Kill,
  works: readonly Work[],
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
    for (const { cwd } of works) {
      void readEffects(cwd).then((effects) => effects.includes(kill.atEffect) && end());
    }
  }, 5);
  return () => clearInterval(watch);
}
