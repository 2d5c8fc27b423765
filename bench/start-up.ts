import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How long the built command takes to say something: its help, and the first event of a run's journal. */
const rounds = 9;
const main = join(import.meta.dirname, "..", "dist", "cli", "main.js");
if (!existsSync(main)) throw new Error("There is no dist: run `npm run build` first.");

const folder = await mkdtemp(join(tmpdir(), "cadre-start-"));
const script = "scripts: [{ reply: { text: done } }]";
await writeFile(join(folder, "script.yaml"), script);

/** Milliseconds from the start of the process to the first byte of its output. */
async function firstByte(words: readonly string[]): Promise<number> {
  const before = performance.now();
  const child = spawn(process.execPath, [main, ...words], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(child.stdout, "data");
  const elapsedMs = performance.now() - before;
  child.stdout.resume();
  await once(child, "close");
  return elapsedMs;
}

async function report(name: string, words: readonly string[]): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await firstByte(words));
  const [first = 0, ...later] = times;
  const sorted = later.toSorted((left, right) => left - right);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  console.log(
    `${name}: median ${median.toFixed(0)} ms, the very first time ${first.toFixed(0)} ms`,
  );
}

await report("cadre --help", ["--help"]);
await report("first event of a run", [
  "run",
  "go",
  "to",
  "work",
  "--model",
  "scripted:script.yaml",
  "--events",
]);
await rm(folder, { recursive: true, force: true });
