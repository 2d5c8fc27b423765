import type { AgentDefinition } from "../../agent/agent.ts";
import { CadreError } from "../../errors.ts";
import type { Delegation } from "../../run/delegation.ts";
import { formatDiagnostic } from "../../source/diagnostic.ts";
import { didYouMean } from "../../source/nearest.ts";
import { type AssignmentSource, assignAgent } from "../to-assignment.ts";
import type { GraphRun } from "./graph.ts";
import { type GraphReading, readGraph } from "./read-graph.ts";

/** What a graph is checked against. */
export interface GraphSurroundings {
  agents: AssignmentSource;
  /** Rejects when there is no such model; absent: models are not looked for. */
  resolveModel?: (reference: string) => Promise<unknown>;
  /** The most runs of a family. */
  familyRuns: number;
}

/** Reads the file of a graph and checks all of it: what it says, and whether there is everybody it needs. */
export async function checkGraph(
  surroundings: GraphSurroundings,
  path: string,
): Promise<Pick<GraphReading, "graph" | "diagnostics">> {
  const reading = await readGraph(path);
  const { graph, runs, placeOf, diagnostics } = reading;
  const say: Say = (index, field, message) => {
    const finding = { severity: "error", code: "graph-invalid", message, fix: null } as const;
    diagnostics.push({ path, ...placeOf(index, field), ...finding });
  };
  const { familyRuns } = surroundings;
  if (runs.length >= familyRuns) {
    const most = `at most ${familyRuns} runs may be in a family (limits.familyRuns)`;
    say(0, "label", `There are ${runs.length} runs and the graph's own; ${most}.`);
  }
  for (const [index, run] of runs.entries()) {
    const { found, problem } = await findAgentOf(surroundings, run);
    if (problem !== undefined) say(index, "agent", problem);
    // What is wrong with the file is wrong with the call as well, and said already.
    if (found === undefined || graph === undefined) continue;
    await checkCall(surroundings, { run, agent: found }, (...said) => say(index, ...said));
  }
  await checkModels(surroundings, runs, say);
  diagnostics.sort((one, other) => one.line - other.line || one.column - other.column);
  return reading;
}

type Say = (index: number, field: string, message: string) => void;

async function findAgentOf(
  { agents }: GraphSurroundings,
  { agent }: Partial<GraphRun>,
): Promise<{ found?: AgentDefinition; problem?: string }> {
  // What is no name was found wrong already.
  if (typeof agent !== "string" || agent === "") return {};
  const all = await agents.agents();
  const found = all.find(({ name }) => name === agent);
  if (found !== undefined) return { found };
  const names = all.map(({ name }) => name);
  const [reason] = await agents.problemsOf(agent);
  const why = reason === undefined ? didYouMean(agent, names) : ` ${formatDiagnostic(reason)}`;
  return { problem: `There is no agent ${agent}.${why} Available: ${names.join(", ")}.` };
}

/** Whether the agent takes what it is given. */
async function checkCall(
  { agents }: GraphSurroundings,
  { run, agent }: { run: Partial<GraphRun>; agent: AgentDefinition },
  say: (field: string, message: string) => void,
): Promise<void> {
  const { task, input } = run;
  const hasOwnTask = ["recipe", "prompt", "aip"].includes(agent.source.format);
  if (task === undefined && input === undefined && !hasOwnTask) {
    say("task", `Expected a task for ${agent.name}.`);
    return;
  }
  // Nobody is asked for what is missing: a graph runs by itself.
  const source = { ...agents, recipes: { place: agents.recipes.place } };
  const call = { delegation: run as Delegation, origin: undefined };
  const problem = await problemOf(() => assignAgent(source, agent, call));
  const field = (["parameters", "inputs", "input"] as const).find(
    (name) => run[name] !== undefined,
  );
  if (problem !== undefined) say(field ?? "agent", problem);
}

async function checkModels(
  { resolveModel }: GraphSurroundings,
  runs: readonly Partial<GraphRun>[],
  say: Say,
): Promise<void> {
  if (resolveModel === undefined) return;
  const known = new Map<string, string | undefined>();
  for (const [index, { model }] of runs.entries()) {
    if (typeof model !== "string") continue;
    if (!known.has(model)) known.set(model, await problemOf(() => resolveModel(model)));
    const problem = known.get(model);
    if (problem !== undefined) say(index, "model", problem);
  }
}

async function problemOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof CadreError) return error.message;
    throw error;
  }
}
