import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oneRunProgram, startOneReplyModel } from "../scripts/one-reply-model.ts";
import { isShort } from "./is-short.ts";

/**
 * Measures the start-up time of the build: of a command until its first output, of a run until its first model request, and of a
 * conversation on a terminal until it shows a key pressed at its start. Bare Node is the lower limit of any program.
 */
const rounds = isShort ? 1 : 9;
const dist = join(import.meta.dirname, "..", "dist");
if (!existsSync(dist)) throw new Error("There is no dist: run `npm run build` first.");
const main = join(dist, "cli", "main.js");

/** Called at the next request that the model server receives. */
let onRequest: () => void = () => undefined;
const model = await startOneReplyModel(() => onRequest());

const folder = await mkdtemp(join(tmpdir(), "cadre-start-"));
const bare = join(folder, "bare.mjs");
await writeFile(bare, 'process.stdout.write("started");');
const program = join(folder, "program.mjs");
await writeFile(program, oneRunProgram(join(dist, "index.js")));
const environment = {
  PATH: process.env["PATH"],
  HOME: folder,
  ...model.environment,
};

function start(words: readonly string[]): ChildProcess {
  const stdio = ["ignore", "pipe", "inherit"] as const;
  return spawn(process.execPath, words, { cwd: folder, env: environment, stdio: [...stdio] });
}

/** Returns the milliseconds until a process started with `words` first calls `heard`. */
async function timeUntil(
  words: readonly string[],
  listen: (child: ChildProcess, done: () => void) => void,
): Promise<number> {
  const before = performance.now();
  let elapsedMs: number | undefined;
  const child = start(words);
  listen(child, () => (elapsedMs ??= performance.now() - before));
  child.stdout?.resume();
  await once(child, "close");
  if (elapsedMs === undefined) throw new Error(`Nothing was heard of: node ${words.join(" ")}`);
  return elapsedMs;
}

const untilOutput = (words: readonly string[]): Promise<number> =>
  timeUntil(words, (child, done) => child.stdout?.once("data", done));

/** Returns the time until the screen of a conversation, on a terminal of `script`, shows a key pressed at the start. */
async function untilKey(): Promise<number> {
  const before = performance.now();
  const command = `exec ${process.execPath} ${main} chat --model openai:mock`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd: folder,
    env: { ...environment, TERM: "xterm-256color", LANG: "C.UTF-8", SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.write("~");
  let elapsedMs: number | undefined;
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (data: string) => {
    // The terminal itself echoes the key before the command clears the screen.
    screen += data;
    const [, drawn] = screen.split("\u001b[?1049h");
    if (drawn?.includes("~") !== true || elapsedMs !== undefined) return;
    elapsedMs = performance.now() - before;
    child.kill();
  });
  await once(child, "close");
  if (elapsedMs === undefined) throw new Error("The screen did not show the key.");
  return elapsedMs;
}

const untilRequest = (words: readonly string[]): Promise<number> =>
  timeUntil(words, (_, done) => (onRequest = done));

const cases: { name: string; measure: () => Promise<number>; times: number[] }[] = [
  { name: "bare Node", measure: () => untilOutput([bare]), times: [] },
  { name: "cadre --help", measure: () => untilOutput([main, "--help"]), times: [] },
  { name: "cadre agents", measure: () => untilOutput([main, "agents"]), times: [] },
  {
    name: "first model request of `cadre run`",
    measure: () => untilRequest([main, "run", "go", "to", "work", "--model", "openai:mock"]),
    times: [],
  },
  {
    name: "first model request of a program",
    measure: () => untilRequest([program]),
    times: [],
  },
  { name: "the first key in `cadre`", measure: untilKey, times: [] },
  { name: "cadre runs", measure: () => untilOutput([main, "runs"]), times: [] },
];
// Round by round, so that other load on the machine affects all of them equally. The first round fills the compile cache.
for (let round = 0; round <= rounds; round += 1) {
  for (const { measure, times } of cases) {
    const time = await measure();
    if (round > 0) times.push(time);
  }
}
for (const { name, times } of cases) {
  const sorted = times.toSorted((left, right) => left - right);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  console.log(`${name}: median ${median.toFixed(0)} ms, least ${(sorted[0] ?? 0).toFixed(0)} ms`);
}
model.server.close();
await rm(folder, { recursive: true, force: true });
