import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureProgram, withModelServer } from "../run-program.ts";
import { describeFailure } from "./describe-failure.ts";
import { combine, type PeerOutcome, renderTable, type PeerRow } from "./table.ts";

/**
 * Compares Cadre with other frameworks in one run: each measurement in a separate process, round by round, so that other
 * load on the machine affects all of them equally. Writes the tables of docs/performance.md to stdout. `--rounds N`: default 3.
 */
interface Competitor {
  name: string;
  /** The folder of its package.json, for the version; below this folder. */
  folder?: string;
  program: string;
  isDurable: boolean;
}

const competitors: readonly Competitor[] = [
  { name: "bare loop", program: "../run-bare.ts", isDurable: false },
  { name: "Cadre", folder: "../..", program: "../run-cadre.ts", isDurable: true },
  peer("pi agent core", "@earendil-works/pi-agent-core", "pi"),
  peer("AI SDK", "ai", "ai-sdk"),
  peer("LangGraph", "@langchain/langgraph", "langgraph"),
  {
    ...peer(
      "LangGraph, SQLite checkpointer",
      "@langchain/langgraph-checkpoint-sqlite",
      "langgraph-sqlite",
    ),
    isDurable: true,
  },
  peer("OpenAI Agents", "@openai/agents", "openai-agents"),
  peer("Mastra", "@mastra/core", "mastra"),
];

const scenarios = [
  { agents: 100, latencyMs: 0 },
  { agents: 1000, latencyMs: 0 },
  { agents: 100, latencyMs: 200 },
  { agents: 1000, latencyMs: 200 },
];

/** The model steps of a sub-agent. The main agent's two steps are not counted. */
const stepsPerAgent = 3;

function peer(name: string, packageName: string, program: string): Competitor {
  const folder = join("node_modules", packageName);
  return { name, folder, program: join("peer", `${program}.ts`), isDurable: false };
}

function readRounds(): number {
  const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" } } });
  const rounds = Number(values.rounds);
  if (Number.isInteger(rounds) && rounds > 0) return rounds;
  throw new Error(`--rounds: expected a whole number above 0, got "${values.rounds}".`);
}

function titleOf({ name, folder }: Competitor): string {
  if (folder === undefined) return name;
  const text = readFileSync(join(import.meta.dirname, folder, "package.json"), "utf8");
  const { version } = JSON.parse(text) as { version: string };
  return `${name} ${version}`;
}

async function measure(program: string, baseUrl: string, agents: number): Promise<PeerOutcome> {
  try {
    const path = join(import.meta.dirname, program);
    return await measureProgram(path, [baseUrl, "fan-out", String(agents)]);
  } catch (error) {
    return { failure: describeFailure(error) };
  }
}

async function compare(agents: number, latencyMs: number, rounds: number): Promise<string> {
  const title = `${agents.toLocaleString("en")} sub-agents at ${latencyMs} ms`;
  const outcomes = competitors.map((): PeerOutcome[] => []);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, competitor] of competitors.entries()) {
      const outcome = await withModelServer(latencyMs, (baseUrl) =>
        measure(competitor.program, baseUrl, agents),
      );
      outcomes[index]?.push(outcome);
      console.error(`${title}, round ${round}: ${competitor.name} ${JSON.stringify(outcome)}`);
    }
  }
  const rows = competitors.map((competitor, index): PeerRow => {
    const outcome = combine(outcomes[index] ?? []);
    return { name: titleOf(competitor), isDurable: competitor.isDurable, outcome };
  });
  return renderTable(title, agents * stepsPerAgent, rows);
}

try {
  const rounds = readRounds();
  const day = new Date().toISOString().slice(0, 10);
  console.log(
    `${day}, Node ${process.version}, ${availableParallelism()} cores, the minimum of ${rounds} rounds:\n`,
  );
  for (const { agents, latencyMs } of scenarios) {
    console.log(`${await compare(agents, latencyMs, rounds)}\n`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
