import { isTerminal } from "../../run/run.ts";
import { type RunOverview, toRunOverviews } from "../../run/run-overview.ts";
import { closedObject } from "../../source/closed-object.ts";
import type { JsonObject } from "../../source/json.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { describeRunName, type SessionScope } from "./session-scope.ts";
import type { SessionTool } from "./session-tool.ts";
import { describeProgress } from "./sessions-wait-tool.ts";
import { listResult } from "./tool-results.ts";

/** The arguments of `sessions_list`, which has none. */
export type SessionsListInput = Record<string, never>;

/** The `sessions_list` tool, which lists the caller's descendants. */
export const sessionsList: SessionTool<SessionsListInput> = {
  name: "sessions_list",
  title: "List runs",
  description:
    "Lists the runs you started and their descendants: id, label, agent, status, activity, and the turns and the cost including descendants.",
  inputSchema: closedObject({}),
  resultSchema: listResult,
  access: "none",
  describe: () => ({ title: "List the runs it started", subject: "" }),
  call: async (_, { scope }) => await listSessions(scope),
};

/** Lists the runs of `scope` with their states. */
export async function listSessions(scope: Pick<SessionScope, "runs">): Promise<ToolOutcome> {
  const all = toRunOverviews(await scope.runs());
  const runs = chooseListed(all);
  const top = Math.min(...runs.map(({ depth }) => depth));
  const lines = runs.map((run) => `${"  ".repeat(run.depth - top)}- ${describeOverview(run)}`);
  const left = all.length - runs.length;
  if (left > 0) lines.push(`${left} more ended runs are left out.`);
  const text = lines.length === 0 ? "You have started no runs." : lines.join("\n");
  return { text, output: { runs: runs.map(toRow) } };
}

/** The maximum number of ended runs in the list. Running runs are always listed. */
const maxEnded = 100;

function chooseListed(runs: readonly RunOverview[]): readonly RunOverview[] {
  const ended = runs.filter(({ status }) => isTerminal(status));
  const late = new Set(ended.slice(-maxEnded));
  return runs.filter((run) => !isTerminal(run.status) || late.has(run));
}

function describeOverview(run: RunOverview): string {
  const { label, agent, result, cost } = run;
  const who = label === null ? "" : `, agent ${agent}`;
  const failure = result?.failure;
  const end = failure === undefined ? "" : `, ${failure.code}: ${failure.message}`;
  const stand = `${describeProgress(run)}${end}`;
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
