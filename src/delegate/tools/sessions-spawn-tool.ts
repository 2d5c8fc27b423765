import { z } from "zod";
import { isRegistryFailure } from "../../engine/life/ending.ts";
import { toFailure } from "../../engine/run-failed.ts";
import { CadreError } from "../../errors.ts";
import type { Budget } from "../../run/budget.ts";
import { budgetSchema } from "../../run/limit/limit-schema.ts";
import { closedObject } from "../../source/closed-object.ts";
import type { JsonObject } from "../../source/json.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import {
  dependsOnSchema,
  labelSchema,
  modelSchema,
  retriesSchema,
  timeoutSchema,
} from "../request/check-delegation.ts";
import type { SessionRequest, SessionScope } from "./session-scope.ts";
import type { ResultDelivery, SessionCall, SessionTool } from "./session-tool.ts";
import { spawnResult } from "./tool-results.ts";
import { taskTitle } from "../shorten.ts";
import { jsonValue } from "../../source/json-value.ts";

/** The maximum number of tasks in one call. */
const maxTasks = 100;

const oneTask = z.string().regex(/\S/);

/** The arguments of `sessions_spawn`. */
export interface SessionsSpawnInput {
  task: string | string[];
  label?: string | undefined;
  agentId?: string | undefined;
  model?: string | undefined;
  timeoutSeconds?: number | undefined;
  chainAfter?: string | string[] | undefined;
  dependsOn?: string | string[] | undefined;
  includeDependencyResult?: boolean | undefined;
  onDependencyError?: "fail" | "run" | undefined;
  sharedContext?: JsonObject | undefined;
  parallel?: boolean | undefined;
  retries?: number | undefined;
  detach?: boolean | undefined;
  team?: boolean | undefined;
  budget?: Budget | undefined;
}

const inputSchema: z.ZodType<SessionsSpawnInput> = closedObject({
  task: z
    .union([oneTask, z.array(oneTask).min(1).max(maxTasks)])
    .describe("The complete task; or a list, in which each task is a separate run."),
  label: labelSchema
    .optional()
    .describe("A name for the run; the runs of a list are named label-1, label-2, …"),
  agentId: z.string().min(1).optional().describe("The agent to run. Default: an agent like you."),
  model: modelSchema.optional().describe("provider:model or an alias."),
  timeoutSeconds: timeoutSchema.optional(),
  chainAfter: dependsOnSchema.optional().describe("The same as dependsOn."),
  dependsOn: dependsOnSchema
    .optional()
    .describe("Ids or labels of runs that must have ended before it begins."),
  includeDependencyResult: z
    .boolean()
    .optional()
    .describe("Put the results of the runs it depends on before its task."),
  onDependencyError: z
    .enum(["fail", "run"])
    .optional()
    .describe("When one of those fails: fail too (the default), or run and get the failure."),
  sharedContext: z
    .record(z.string(), jsonValue)
    .optional()
    .describe(
      'Data that it and its sub-agents can read. {"$LABEL": "reference"} stands for the result of the run LABEL.',
    ),
  parallel: z
    .boolean()
    .optional()
    .describe(
      "For a list: run all tasks at once. Otherwise each begins when the previous one has ended.",
    ),
  retries: retriesSchema.optional().describe("How often it is retried after a failure. Default 0."),
  detach: z.boolean().optional().describe("It continues after you have ended."),
  team: z
    .boolean()
    .optional()
    .describe("It belongs to the team: its members message each other and share a task board."),
  budget: budgetSchema.optional().describe("Limits for it and its sub-agents together."),
});

/** Creates the `sessions_spawn` tool, which starts background runs and returns at once. */
export function createSessionsSpawn(
  agents: readonly string[],
  delivery: ResultDelivery,
): SessionTool<SessionsSpawnInput> {
  const describe = descriptions[delivery];
  return {
    name: "sessions_spawn",
    title: "Start runs in the background",
    description: describe(agents.join(", ") || "none").join("\n"),
    inputSchema,
    resultSchema: spawnResult,
    access: "delegate",
    describe: (input) => ({ title: titleOf(input), subject: input.agentId ?? "" }),
    call: async (input, call) => await spawnSessions(input, call),
  };
}

const descriptions: Readonly<Record<ResultDelivery, (agents: string) => string[]>> = {
  pushed: (agents) => [
    "Starts sub-agents in the background and returns at once with their run ids. Do not poll: when one has ended, its",
    "result enters your conversation automatically, and you do not finish before all of them have, unless detached.",
    "With dependsOn a run waits for others at no cost, so describe a whole plan at once: chains, fan-outs and joins.",
    "A sub-agent sees only its task, the sharedContext, and the results it requests.",
    `Agents: ${agents}.`,
  ],
  fetched: (agents) => [
    "Starts agents in the background and returns at once with their run ids. sessions_wait returns their results.",
    "With dependsOn a run waits for others at no cost, so describe a whole plan at once: chains, fan-outs and joins.",
    "An agent sees only its task, the sharedContext, and the results it requests.",
    `Without agentId the agent main runs it. Agents: ${agents}.`,
  ],
};

interface SpawnReport {
  status: "accepted" | "partial" | "error";
  runs: { runId: string; label: string | null; status: string }[];
  errors?: { task: number; label: string | null; code: string; message: string }[];
}

/** Starts the runs of `input`. A refused run does not affect the others. */
async function spawnSessions(input: SessionsSpawnInput, call: SessionCall): Promise<ToolOutcome> {
  const requests = toRequests(input);
  const isChain = Array.isArray(input.task) && input.parallel !== true;
  // Request all of them at once, so that the next call in the message can refer to each.
  const starting: Promise<Started>[] = [];
  for (const [index, request] of requests.entries()) {
    const before = isChain ? starting.at(-1) : undefined;
    starting.push(startOne(call, () => link(request, before, index), index));
  }
  const started = await Promise.all(starting);
  const report = await describeStarted(call.scope, requests, started);
  return {
    text: JSON.stringify(report),
    output: report as unknown as JsonObject,
    ...(report.status === "error" && { isError: true }),
  };
}

type Started = { id: string } | { refusal: CadreError };

async function startOne(
  { scope, onRun }: SessionCall,
  find: () => Promise<SessionRequest>,
  index: number,
): Promise<Started> {
  try {
    const id = await scope.start(find, index);
    onRun(id);
    return { id };
  } catch (error) {
    if (!(error instanceof CadreError) || isRegistryFailure(error)) throw error;
    return { refusal: error };
  }
}

/** Returns a request that follows the task `number` of its list, which has had its turn. */
async function link(
  request: SessionRequest,
  before: Promise<Started> | undefined,
  number: number,
): Promise<SessionRequest> {
  if (before === undefined) return request;
  const started = await before;
  if ("id" in started) return { ...request, dependsOn: started.id };
  // Report the first refusal, not the ones that follow from it.
  const { cause } = started.refusal;
  const first = cause instanceof CadreError ? cause : started.refusal;
  const message = `It depends on task ${number}, which was not started: ${first.message}`;
  throw new CadreError(first.code, message, { cause: first });
}

async function describeStarted(
  scope: Pick<SessionScope, "run">,
  requests: readonly SessionRequest[],
  started: readonly Started[],
): Promise<SpawnReport> {
  const report: SpawnReport = { status: "accepted", runs: [] };
  const errors: SpawnReport["errors"] = [];
  for (const [index, one] of started.entries()) {
    const label = requests[index]?.label ?? null;
    if ("id" in one) {
      const { status } = await scope.run(one.id);
      report.runs.push({ runId: one.id, label, status });
    } else {
      const { code, message } = toFailure(one.refusal);
      errors.push({ task: index + 1, label, code, message });
    }
  }
  if (errors.length === 0) return report;
  return { ...report, status: report.runs.length === 0 ? "error" : "partial", errors };
}

function toRequests(input: SessionsSpawnInput): SessionRequest[] {
  const { task: tasks, label, agentId, chainAfter, dependsOn, parallel: _, ...rest } = input;
  const after = [...new Set([chainAfter ?? [], dependsOn ?? []].flat())];
  const given = Object.entries({ ...rest, agent: agentId, label });
  const shared: Omit<SessionRequest, "task"> = Object.fromEntries(
    given.filter(([, value]) => value !== undefined),
  );
  const base = { ...shared, ...(after.length > 0 && { dependsOn: after }) };
  if (!Array.isArray(tasks)) return [{ ...base, task: tasks }];
  return tasks.map((one, index) => numberRequest(base, one, index + 1));
}

function numberRequest(
  base: Omit<SessionRequest, "task">,
  task: string,
  number: number,
): SessionRequest {
  const { label } = base;
  return { ...base, task, ...(label !== undefined && { label: `${label}-${number}` }) };
}

function titleOf({ task: tasks, label, agentId }: SessionsSpawnInput): string {
  const [first = "", ...others] = Array.isArray(tasks) ? tasks : [tasks];
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return `Start ${label ?? agentId ?? "a sub-agent"}: ${taskTitle(first)}${more}`;
}
