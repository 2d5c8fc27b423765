import { z } from "zod";
import { isRegistryFailure } from "../engine/ending.ts";
import { toFailure } from "../engine/to-failure.ts";
import { CadreError } from "../errors.ts";
import { type Budget, budgetSchema } from "../run/budget.ts";
import { closedObject } from "../source/closed-object.ts";
import type { JsonObject } from "../source/json.ts";
import { defineTool, type Tool, type ToolOutcome } from "../tool/tool.ts";
import {
  dependsOnSchema,
  labelSchema,
  modelSchema,
  retriesSchema,
  timeoutSchema,
} from "./check-delegation.ts";
import {
  createFamilyScope,
  type SessionPort,
  type SessionRequest,
  type SessionScope,
} from "./session-scope.ts";
import { firstLine } from "./shorten.ts";

/** The most tasks one call may have. */
const mostTasks = 100;

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
  budget?: Budget | undefined;
}

/** Checks the arguments of `sessions_spawn`. */
export const sessionsSpawnInput: z.ZodType<SessionsSpawnInput> = closedObject({
  task: z
    .union([oneTask, z.array(oneTask).min(1).max(mostTasks)])
    .describe("The task, complete in itself; or a list: each task is a run of its own."),
  label: labelSchema
    .optional()
    .describe("A name for the run; those of a list are called label-1, label-2, …"),
  agentId: z.string().min(1).optional().describe("Who does it; left out: an agent like you."),
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
    .describe("When one of those fails: fail too (the default), or run and be told of it."),
  sharedContext: z
    .record(z.string(), z.json())
    .optional()
    .describe(
      'Data that it and its sub-agents can read. {"$LABEL": "reference"} stands for the result of the run LABEL.',
    ),
  parallel: z
    .boolean()
    .optional()
    .describe("Of a list: all tasks at once. Else each begins when the one before it has ended."),
  retries: retriesSchema.optional().describe("How often it tries again when it fails. Default 0."),
  detach: z.boolean().optional().describe("It lives on when you have ended."),
  budget: budgetSchema.optional().describe("The most it and its sub-agents may use."),
});

/** The `sessions_spawn` tool: starts runs in the background and returns at once; the scheduler makes them wait. */
export function createSessionsSpawnTool(port: SessionPort, agents: readonly string[]): Tool {
  return defineTool({
    name: "sessions_spawn",
    description: describeSessionsSpawn(agents),
    access: "delegate",
    input: sessionsSpawnInput,
    describe: (input) => ({
      title: titleOf(input),
      subject: input.agentId ?? "",
      paths: [],
    }),
    execute: async (input, context) => await spawnSessions(createFamilyScope(port, context), input),
  });
}

/** What a model is told of the tool. */
function describeSessionsSpawn(agents: readonly string[]): string {
  return [
    "Starts sub-agents in the background and returns at once with their run ids. Do not poll: when one has ended, its",
    "result enters your conversation by itself, and you are not at your end before all of them are, unless detached.",
    "With dependsOn a run waits for others without costing anything, so describe a whole plan at once: chains, fan-outs and",
    "what joins them. A sub-agent sees only its task, what sharedContext says, and the results it asks for.",
    `Agents: ${agents.join(", ") || "none"}.`,
  ].join("\n");
}

interface SpawnReport {
  status: "accepted" | "partial" | "error";
  runs: { runId: string; label: string | null; status: string }[];
  errors?: { task: number; label: string | null; code: string; message: string }[];
}

/** Starts what `input` asks for; what cannot be started does not keep the rest from it. */
export async function spawnSessions(
  scope: Pick<SessionScope, "start" | "run">,
  input: SessionsSpawnInput,
): Promise<ToolOutcome> {
  const requests = toRequests(input);
  const isChain = Array.isArray(input.task) && input.parallel !== true;
  // All of them are asked for at once, so that what is called next in the same message can name each.
  const starting: Promise<Started>[] = [];
  for (const [index, request] of requests.entries()) {
    const before = isChain ? starting.at(-1) : undefined;
    starting.push(startOne(scope, () => link(request, before, index), index));
  }
  const started = await Promise.all(starting);
  const report = await describeStarted(scope, requests, started);
  return {
    text: JSON.stringify(report),
    output: report as unknown as JsonObject,
    ...(report.status === "error" && { isError: true }),
  };
}

type Started = { id: string } | { refusal: CadreError };

async function startOne(
  scope: Pick<SessionScope, "start">,
  find: () => Promise<SessionRequest>,
  index: number,
): Promise<Started> {
  try {
    return { id: await scope.start(find, index) };
  } catch (error) {
    if (!(error instanceof CadreError) || isRegistryFailure(error)) throw error;
    return { refusal: error };
  }
}

/** A request that is to begin after task `number` of its list, which has had its turn. */
async function link(
  request: SessionRequest,
  before: Promise<Started> | undefined,
  number: number,
): Promise<SessionRequest> {
  if (before === undefined) return request;
  const started = await before;
  if ("id" in started) return { ...request, dependsOn: started.id };
  // The first refusal of the list says why, and not those that follow from it.
  const { cause } = started.refusal;
  const first = cause instanceof CadreError ? cause : started.refusal;
  const message = `It was to begin after task ${number}, which was not started: ${first.message}`;
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
  return `Start ${label ?? agentId ?? "a sub-agent"}: ${firstLine(first)}${more}`;
}
