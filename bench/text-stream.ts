import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedModel } from "../src/testing.ts";
import { library } from "./built-library.ts";

/** Compares reading `textStream` of a finished run with reading its journal: CPU time, in pairs. */
const turns = 400;
const pairs = 15;
const text = "A sentence that an agent says. ".repeat(40);
const model = scriptedModel(({ turn }) =>
  turn < turns ? { text, calls: [{ tool: "LS", input: { path: "." } }] } : { text },
);
const folder = mkdtempSync(join(tmpdir(), "cadre-bench-"));
const cadre = await library.createCadre({
  cwd: folder,
  home: folder,
  registry: join(folder, "state"),
  model,
});
const run = await cadre.spawn({
  agent: "main",
  task: "go",
  maxTurns: turns + 1,
  timeoutSeconds: 600,
});
const { status } = await run.result();
if (status !== "succeeded") throw new Error(`Expected the run to succeed, it ${status}.`);

async function readJournal(): Promise<number> {
  return (await run.journal()).length;
}

async function readText(): Promise<number> {
  let characters = 0;
  for await (const part of run.textStream) characters += part.length;
  if (characters < text.length * turns) throw new Error(`Expected all text, got ${characters}.`);
  return characters;
}

async function cpuOf(read: () => Promise<number>): Promise<number> {
  const start = process.cpuUsage();
  for (let round = 0; round < 10; round++) await read();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 10_000;
}

// The first call of each warms up the JIT.
await readJournal();
await readText();
const ratios: number[] = [];
let [journal, stream] = [Infinity, Infinity];
for (let pair = 0; pair < pairs; pair++) {
  const [one, other] = [await cpuOf(readJournal), await cpuOf(readText)];
  [journal, stream] = [Math.min(journal, one), Math.min(stream, other)];
  ratios.push(other / one);
}
const median = ratios.toSorted((one, other) => one - other)[Math.floor(pairs / 2)] ?? 0;
console.log(
  `${turns} turns: journal ${journal.toFixed(1)} ms CPU, textStream ${stream.toFixed(1)} ms, least of ${pairs}; median ratio ${median.toFixed(2)}`,
);
await cadre.close();
