import type { AgentDefinition } from "../../agent/agent.ts";
import type { ProgramAgent, ProgramOutput } from "../../agent/program.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Session } from "../../engine/session.ts";
import { RunFailed, toFailure } from "../../engine/to-failure.ts";
import { CadreError } from "../../errors.ts";
import { answerOf } from "../../run/answer.ts";
import type { RunResult } from "../../run/result.ts";
import type { JsonObject } from "../../source/json.ts";
import type { Delegate } from "../delegate.ts";
import type { Graph, GraphRun } from "./graph.ts";

/** The agent that conducts graphs. */
const graphAgent = "graph";

/** The longest run there may be, in seconds: its runs have timeouts of their own. */
const graphSeconds = 86_400;

/** What a run of a graph is kept as: the graph is part of it, so that a resume goes on with the same one. */
export function defineGraph(graph: Graph): AgentDefinition {
  return {
    name: graphAgent,
    description: "Conducts runs that depend on each other.",
    systemPrompt: "",
    timeoutSeconds: graph.timeoutSeconds ?? graphSeconds,
    ...(graph.budget !== undefined && { budget: graph.budget }),
    extra: { graph: graph as unknown as JsonObject },
    source: { format: "program", scope: "builtin", path: null },
    diagnostics: [],
    lines: {},
  };
}

/** The graph that a definition stands for, if it does. */
export function graphOf({ source, extra }: AgentDefinition): Graph | undefined {
  if (source.format !== "program" || source.scope !== "builtin") return undefined;
  return extra?.["graph"] as Graph | undefined;
}

/** What conducting a graph needs. */
export interface GraphPort {
  delegate: Delegate;
  engine: Pick<Engine, "result">;
}

/**
 * The program that conducts `graph` as the run of `session`: all runs are asked for at once, and the scheduler makes them wait
 * for each other. It fails when a run did not succeed that no other was written to follow all the same.
 */
export function createGraphProgram(graph: Graph, session: Session, port: GraphPort): ProgramAgent {
  return {
    name: graphAgent,
    description: "",
    async run() {
      const ids = await startAll(graph, session, port);
      const work = Promise.all(ids.map((id) => port.engine.result(id)));
      const results = await session.watchdog.trustWhile(session.slot.yieldWhile(work));
      return conclude(graph, session, results);
    },
  };
}

async function startAll(graph: Graph, session: Session, port: GraphPort): Promise<string[]> {
  const { spec, prefix } = session;
  const start = async (run: GraphRun): Promise<string> => {
    const stepKey = `${prefix}graph/${run.label}`;
    const origin = { spec, stepKey, toolNames: spec.parentTools, isPlanned: true };
    return await port.delegate.start({ ...run, background: false }, origin);
  };
  try {
    return await Promise.all(graph.runs.map(start));
  } catch (error) {
    if (error instanceof CadreError) throw new RunFailed(toFailure(error));
    throw error;
  }
}

function conclude(graph: Graph, session: Session, results: readonly RunResult[]): ProgramOutput {
  const ends = graph.runs.flatMap((run, index) => {
    const result = results[index];
    return result === undefined ? [] : [{ run, result }];
  });
  const text = summarize(ends);
  const runs = Object.fromEntries(ends.map(({ run, result }) => [run.label, toRow(run, result)]));
  const failed = ends.filter(({ result }) => result.failure !== undefined);
  const unhandled = failed.filter(({ run }) => !isHandled(graph, run.label));
  const [first] = unhandled;
  if (first?.result.failure === undefined) return { text, output: { runs } };
  session.said.text = text;
  const names = unhandled.map(({ run, result }) => `${run.label} (${result.failure?.code})`);
  throw new RunFailed({
    code: first.result.failure.code,
    message: `Of ${ends.length} runs ${unhandled.length} did not succeed: ${names.join(", ")}.`,
    details: { runs },
    cause: first.result.failure,
  });
}

/** Whether somebody was written to deal with the failure of a run, and nobody to depend on its success. */
function isHandled({ runs }: Graph, label: string): boolean {
  const followers = runs.filter(({ dependsOn }) => dependsOn.includes(label));
  return followers.length > 0 && followers.every((run) => run.onDependencyError === "run");
}

interface End {
  run: GraphRun;
  result: RunResult;
}

/** The most of a run's text that the summary has; all of it is in the output. */
const longestText = 4000;

function summarize(ends: readonly End[]): string {
  const good = ends.filter(({ result }) => result.status === "succeeded").length;
  const parts = ends.map(({ run, result }) => {
    const { status, failure, runId } = result;
    const end = failure === undefined ? status : `${status}, ${failure.code}: ${failure.message}`;
    const answer = answerOf(result);
    const text =
      answer.length <= longestText
        ? answer
        : `${answer.slice(0, longestText).toWellFormed()}\n[cut: \`cadre show ${runId}\` has the whole]`;
    return `## ${run.label}: ${end}${text === "" ? "" : `\n\n${text}`}`;
  });
  return [`${good} of ${ends.length} runs succeeded.`, ...parts].join("\n\n");
}

function toRow({ agent }: GraphRun, result: RunResult): JsonObject {
  const { runId, status, text, output, failure } = result;
  return {
    runId,
    agent,
    status,
    text,
    ...(output !== undefined && { output }),
    ...(failure !== undefined && { failure: failure as unknown as JsonObject }),
  };
}
