import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { ProgramOutput } from "../../agent/program/program.ts";
import type { InternalContext, InternalProgram } from "../../engine/program/internal-context.ts";
import { RunFailed, toFailure } from "../../engine/run-failed.ts";
import { CadreError } from "../../errors.ts";
import { answerOf } from "../../run/answer.ts";
import type { RecordedResult } from "../../run/result.ts";
import type { JsonObject } from "../../source/json.ts";
import { originOf } from "../assignment.ts";
import type { ChildServices } from "../start/run-child.ts";
import type { Graph, GraphRun } from "./graph.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The agent that runs graphs. */
const graphAgent = "graph";

/** The maximum duration of a graph's coordinating run, in seconds. The graph's runs have their own timeouts. */
const graphSeconds = 86_400;

/** Defines the agent of a graph run. The graph is part of the definition, so a resume continues the same graph. */
export function defineGraph(graph: Graph): AgentDefinition {
  return {
    name: graphAgent,
    description: "Runs a graph: runs that depend on each other.",
    systemPrompt: "",
    timeoutSeconds: graph.timeoutSeconds ?? graphSeconds,
    ...omitUndefined({ budget: graph.budget }),
    extra: { graph: graph as unknown as JsonObject },
    source: { format: "program", scope: "builtin", path: null },
    diagnostics: [],
    lines: {},
  };
}

/** Returns the graph in a definition, if it has one. */
export function graphOf({ source, extra }: AgentDefinition): Graph | undefined {
  if (source.format !== "program" || source.scope !== "builtin") return undefined;
  return extra?.["graph"] as Graph | undefined;
}

/**
 * Creates the program that runs `graph`. It starts all runs at once, and the scheduler makes them wait for each other. It fails
 * when a run fails and no dependent handles the failure.
 */
export function createGraphProgram(graph: Graph, services: ChildServices): InternalProgram {
  return {
    async run(_, context) {
      const ids = await startAll(graph, services, context);
      const work = Promise.all(ids.map((id) => services.engine.result(id)));
      const results = await context.waitFor(work);
      return conclude(graph, results, context);
    },
  };
}

async function startAll(
  graph: Graph,
  { delegate }: ChildServices,
  { spec, toFullKey }: InternalContext,
): Promise<string[]> {
  const start = async (node: GraphRun): Promise<string> => {
    const origin = { ...originOf(spec, toFullKey(`graph/${node.label}`)), isPlanned: true };
    return await delegate.start({ ...node, background: false }, origin);
  };
  try {
    return await Promise.all(graph.runs.map(start));
  } catch (error) {
    if (error instanceof CadreError) throw new RunFailed(toFailure(error));
    throw error;
  }
}

function conclude(
  graph: Graph,
  results: readonly RecordedResult[],
  { keep }: InternalContext,
): ProgramOutput {
  const ends = graph.runs.flatMap((node, index) => {
    const result = results[index];
    return result === undefined ? [] : [{ node, result }];
  });
  const text = summarize(ends);
  const runs = Object.fromEntries(
    ends.map(({ node, result }) => [node.label, toRow(node, result)]),
  );
  const failed = ends.filter(({ result }) => result.failure !== undefined);
  const unhandled = failed.filter(({ node }) => !isHandled(graph, node.label));
  const [first] = unhandled;
  if (first?.result.failure === undefined) return { text, output: { runs } };
  keep({ text });
  const names = unhandled.map(({ node, result }) => `${node.label} (${result.failure?.code})`);
  throw new RunFailed({
    code: first.result.failure.code,
    message: `${unhandled.length} of ${ends.length} runs did not succeed: ${names.join(", ")}.`,
    details: { runs },
    cause: first.result.failure,
  });
}

/** Reports whether a run has dependents and all of them run despite its failure. */
function isHandled({ runs }: Graph, label: string): boolean {
  const followers = runs.filter(({ dependsOn }) => dependsOn.includes(label));
  return followers.length > 0 && followers.every((run) => run.onDependencyError === "run");
}

interface End {
  node: GraphRun;
  result: RecordedResult;
}

/** The maximum length of a run's text in the summary, in characters. The output has the whole text. */
const maxTextLength = 4000;

function summarize(ends: readonly End[]): string {
  const good = ends.filter(({ result }) => result.status === "succeeded").length;
  const parts = ends.map(({ node, result }) => {
    const { status, failure, runId } = result;
    const end = failure === undefined ? status : `${status}, ${failure.code}: ${failure.message}`;
    const answer = answerOf(result);
    const text =
      answer.length <= maxTextLength
        ? answer
        : `${answer.slice(0, maxTextLength).toWellFormed()}\n[cut: \`cadre show ${runId}\` has the whole text]`;
    return `## ${node.label}: ${end}${text === "" ? "" : `\n\n${text}`}`;
  });
  return [`${good} of ${ends.length} runs succeeded.`, ...parts].join("\n\n");
}

function toRow({ agent }: GraphRun, result: RecordedResult): JsonObject {
  const { runId, status, text, output, failure } = result;
  return {
    runId,
    agent,
    status,
    text,
    ...omitUndefined({ output }),
    ...(failure !== undefined && { failure: failure as unknown as JsonObject }),
  };
}
