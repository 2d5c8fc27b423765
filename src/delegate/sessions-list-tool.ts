import type { z } from "zod";
import { isTerminal } from "../run/run.ts";
import { type RunOverview, toRunOverviews } from "../run/figures/run-overview.ts";
import { closedObject } from "../source/closed-object.ts";
import type { JsonObject } from "../source/json.ts";
import { defineTool, type Tool, type ToolOutcome } from "../tool/tool.ts";
import {
  createFamilyScope,
  describeRunName,
  type SessionPort,
  type SessionScope,
} from "./session-scope.ts";
import { describeStand } from "./sessions-wait-tool.ts";

/** What a model is told of the tool. */
export const sessionsListDescription: string =
  "Lists the runs you started and those that they started: id, label, agent, status, what they are doing, and the turns and the cost of each with all below it.";

/** Checks the arguments of `sessions_list`: there are none. */
export const sessionsListInput: z.ZodType<Record<string, never>> = closedObject({});

/** The `sessions_list` tool: how the descendants of the caller stand. */
export function createSessionsListTool(port: SessionPort): Tool {
  return defineTool({
    name: "sessions_list",
    description: sessionsListDescription,
    access: "none",
    input: sessionsListInput,
    describe: () => ({ title: "List the runs it started", subject: "", paths: [] }),
    execute: async (_, context) => await listSessions(createFamilyScope(port, context)),
  });
}

/** How the runs of `scope` stand. */
export async function listSessions(scope: Pick<SessionScope, "runs">): Promise<ToolOutcome> {
  const all = toRunOverviews(await scope.runs());
  const runs = chooseListed(all);
  const top = Math.min(...runs.map(({ depth }) => depth));
  const lines = runs.map((run) => `${"  ".repeat(run.depth - top)}- ${describeRun(run)}`);
  const left = all.length - runs.length;
  if (left > 0) lines.push(`${left} more that have ended are left out.`);
  const text = lines.length === 0 ? "You have started no runs." : lines.join("\n");
  return { text, output: { runs: runs.map(toRow) } };
}

/** The most of those that have ended; those at work are listed in any case. */
const mostEnded = 100;

function chooseListed(runs: readonly RunOverview[]): readonly RunOverview[] {
  const ended = runs.filter(({ status }) => isTerminal(status));
  const late = new Set(ended.slice(-mostEnded));
  return runs.filter((run) => !isTerminal(run.status) || late.has(run));
}

function describeRun(run: RunOverview): string {
  const { label, agent, result, cost } = run;
  const who = label === null ? "" : `, agent ${agent}`;
  const failure = result?.failure;
  const end = failure === undefined ? "" : `, ${failure.code}: ${failure.message}`;
  const stand = `${describeStand(run)}${end}`;
  return `${describeRunName(run)}${who}: ${stand}, cost ${cost === null ? "unknown" : `$${cost.toFixed(4)}`}`;
}

function toRow({
  id,
  label,
  agent,
  parentId,
  status,
  activity,
  turns,
  cost,
}: RunOverview): JsonObject {
  return { runId: id, label, agent, parentId, status, activity, turns, cost };
}
