import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { CadreError } from "../../errors.ts";
import type { Delegation } from "../../run/delegation.ts";
import { formatDiagnostic } from "../../source/diagnostic.ts";
import { didYouMean } from "../../source/nearest.ts";
import { type AssignmentSource, assignAgent } from "../request/to-assignment.ts";
import type { GraphRun } from "./graph.ts";
import { type GraphReading, readGraph } from "./read-graph.ts";

/** The sources for the names in a graph. */
export interface GraphCheckOptions {
  agents: AssignmentSource;
  /** Looks up a model; rejects for an unknown one. */
  resolveModel: (reference: string) => Promise<unknown>;
  /** The maximum number of runs in a family. */
  familyRuns: number;
}

/** Reads the file of a graph and checks its content and every name in it. */
export async function checkGraph(
  surroundings: GraphCheckOptions,
  path: string,
): Promise<Pick<GraphReading, "graph" | "diagnostics">> {
  const reading = await readGraph(path);
  const { graph, runs, positionOf, diagnostics } = reading;
  const report: Report = (index, field, message) => {
    const finding = { severity: "error", code: "graph-invalid", message, fix: null } as const;
    diagnostics.push({ path, ...positionOf(index, field), ...finding });
  };
  const { familyRuns } = surroundings;
  if (runs.length >= familyRuns) {
    const most = `at most ${familyRuns} runs may be in a family (limits.familyRuns)`;
    report(0, "label", `There are ${runs.length} runs and the graph's own; ${most}.`);
  }
  for (const [index, run] of runs.entries()) {
    const { found, problem } = await findAgentOf(surroundings, run);
    if (problem !== undefined) report(index, "agent", problem);
    // Problems of the file have already been reported.
    if (found === undefined || graph === undefined) continue;
    await checkCall(surroundings, { run, agent: found }, (...args) => report(index, ...args));
  }
  await checkModels(surroundings, runs, report);
  diagnostics.sort((one, other) => one.line - other.line || one.column - other.column);
  return reading;
}

type Report = (index: number, field: string, message: string) => void;

async function findAgentOf(
  { agents }: GraphCheckOptions,
  { agent }: Partial<GraphRun>,
): Promise<{ found?: AgentDefinition; problem?: string }> {
  // Invalid names have already been reported.
  if (typeof agent !== "string" || agent === "") return {};
  const all = await agents.agents();
  const found = all.find(({ name }) => name === agent);
  if (found !== undefined) return { found };
  const names = all.map(({ name }) => name);
  const [reason] = await agents.problemsOf(agent);
  const why = reason === undefined ? didYouMean(agent, names) : ` ${formatDiagnostic(reason)}`;
  return { problem: `There is no agent ${agent}.${why} Available: ${names.join(", ")}.` };
}

/** Reports whether the agent accepts its input. */
async function checkCall(
  { agents }: GraphCheckOptions,
  { run, agent }: { run: Partial<GraphRun>; agent: AgentDefinition },
  report: (field: string, message: string) => void,
): Promise<void> {
  const { task, input } = run;
  const hasOwnTask = ["recipe", "prompt", "aip"].includes(agent.source.format);
  if (task === undefined && input === undefined && !hasOwnTask) {
    report("task", `Expected a task for ${agent.name}.`);
    return;
  }
  // A graph runs unattended, so the user cannot be asked for missing values.
  const source = { ...agents, recipes: { search: agents.recipes.search } };
  const call = { delegation: run as Delegation, origin: undefined };
  const problem = await problemOf(() => assignAgent(source, agent, call));
  const field = (["parameters", "inputs", "input"] as const).find(
    (name) => run[name] !== undefined,
  );
  if (problem !== undefined) report(field ?? "agent", problem);
}

async function checkModels(
  { resolveModel }: GraphCheckOptions,
  runs: readonly Partial<GraphRun>[],
  report: Report,
): Promise<void> {
  const known = new Map<string, string | undefined>();
  for (const [index, { model }] of runs.entries()) {
    if (typeof model !== "string") continue;
    if (!known.has(model)) known.set(model, await problemOf(() => resolveModel(model)));
    const problem = known.get(model);
    if (problem !== undefined) report(index, "model", problem);
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
