import { basename } from "node:path";
import { CadreError } from "../../errors.ts";
import type { Delegation } from "../../run/delegation.ts";
import { type Diagnostic, formatDiagnostic } from "../../source/diagnostic.ts";
import { didYouMean } from "../../source/nearest.ts";
import type { Delegate } from "../delegate.ts";
import type { AgentSource } from "../find-agent.ts";
import type { Graph } from "./graph.ts";
import { defineGraph } from "./graph-program.ts";
import { type GraphReading, readGraph } from "./read-graph.ts";

/** What is said of a graph besides its file; it counts before that. */
export type GraphRequest = Pick<Delegation, "label" | "model" | "timeoutSeconds" | "budget">;

/** What starting a graph needs. */
export interface GraphStart {
  delegate: Delegate;
  agents: AgentSource;
  resolveModel: (reference: string) => Promise<unknown>;
  /** The most runs of a family. */
  familyRuns: number;
}

/**
 * Starts the graph in the file at `path` as one family; resolves with the id of the run that conducts it.
 *
 * @throws CadreError `definition-invalid` that lists all that is wrong with the file, and where: no run was created.
 */
export async function startGraph(
  start: GraphStart,
  path: string,
  request: GraphRequest,
): Promise<string> {
  const reading = await readGraph(path);
  const { graph } = reading;
  if (graph !== undefined) await checkPeople(start, path, graph, reading);
  const errors = reading.diagnostics.filter(({ severity }) => severity === "error");
  if (graph === undefined || errors.length > 0) throw refusal(path, errors);
  const { sharedContext, model } = graph;
  return await start.delegate.assign({
    definition: defineGraph(graph),
    task: `Run the graph ${basename(path)}: ${graph.runs.map(({ label }) => label).join(", ")}`,
    ...(sharedContext !== undefined && { sharedContext }),
    ...(model !== undefined && { model }),
    ...request,
  });
}

/** Whether there is everybody the graph needs. */
async function checkPeople(
  { agents, resolveModel, familyRuns }: GraphStart,
  path: string,
  graph: Graph,
  { placeOf, diagnostics }: GraphReading,
): Promise<void> {
  const say = (label: string, field: string, message: string): void => {
    const place = placeOf(label, field);
    diagnostics.push({
      path,
      ...place,
      severity: "error",
      code: "graph-invalid",
      message,
      fix: null,
    });
  };
  const names = (await agents.agents()).map(({ name }) => name);
  const models = new Map<string, string | undefined>();
  for (const { label, agent, task, model } of graph.runs) {
    const found = (await agents.agents()).find(({ name }) => name === agent);
    if (found === undefined) {
      const [problem] = await agents.problemsOf(agent);
      const why =
        problem === undefined ? didYouMean(agent, names) : ` ${formatDiagnostic(problem)}`;
      say(label, "agent", `There is no agent ${agent}.${why} Available: ${names.join(", ")}.`);
    } else if (task === undefined && found.source.format !== "recipe") {
      say(label, "task", `Expected a task for ${agent}.`);
    }
    if (model === undefined) continue;
    if (!models.has(model)) models.set(model, await problemOf(() => resolveModel(model)));
    const problem = models.get(model);
    if (problem !== undefined) say(label, "model", problem);
  }
  if (graph.runs.length < familyRuns) return;
  const [first] = graph.runs;
  const most = `at most ${familyRuns} runs may be in a family (limits.familyRuns)`;
  say(
    first?.label ?? "",
    "label",
    `There are ${graph.runs.length} runs and the graph's own; ${most}.`,
  );
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

function refusal(path: string, errors: readonly Diagnostic[]): CadreError {
  const lines = errors.map((error) => `\n${formatDiagnostic(error)}`).join("");
  const message = `The graph ${path} cannot be run; nothing was started:${lines}`;
  return new CadreError("definition-invalid", message, { details: { diagnostics: errors } });
}
