import { z } from "zod";
import type { Clock } from "../../clock.ts";
import { cutResult } from "../../engine/prompt/compose-task.ts";
import { closedObject } from "../../source/closed-object.ts";
import { orAbort } from "../../source/or-abort.ts";
import { answerOf } from "../../run/answer.ts";
import { isTerminal, type Run } from "../../run/run.ts";
import type { RunOverview } from "../../run/run-overview.ts";
import type { JsonObject } from "../../source/json.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { timeoutSchema } from "../request/check-delegation.ts";
import { describeRunName } from "./session-scope.ts";
import type { ResultDelivery, SessionCall, SessionTool } from "./session-tool.ts";
import { waitResult } from "./tool-results.ts";

/** The arguments of `sessions_wait`. */
export interface SessionsWaitInput {
  runIds?: string | string[] | undefined;
  mode: "all" | "any";
  timeoutSeconds?: number | undefined;
}

const inputSchema: z.ZodType<SessionsWaitInput> = closedObject({
  runIds: z
    .union([z.string().min(1), z.array(z.string().min(1)).max(1000)])
    .optional()
    .describe("Ids or labels. Default: all your background runs."),
  mode: z
    .enum(["all", "any"])
    .default("all")
    .describe("Wait for all of them, or for the first one."),
  timeoutSeconds: timeoutSchema
    .optional()
    .describe("The maximum wait; the runs continue afterwards."),
});

const descriptions: Readonly<Record<ResultDelivery, string>> = {
  pushed:
    "Waits for runs you started in the background and returns their results, which do not enter your conversation a second time. Results are delivered to you automatically: wait only if you cannot continue without them.",
  fetched:
    "Waits for runs and returns their results. A run whose process is gone is continued. Default for runIds: all background runs whose results were not fetched yet.",
};

/** Creates the `sessions_wait` tool, which waits for background runs without a slot. */
export function createSessionsWait(
  clock: Pick<Clock, "schedule">,
  delivery: ResultDelivery,
): SessionTool<SessionsWaitInput> {
  return {
    name: "sessions_wait",
    title: "Wait for runs",
    description: descriptions[delivery],
    inputSchema,
    resultSchema: waitResult,
    access: "none",
    comesAfter: true,
    isWaiting: true,
    describe: ({ runIds }) => ({
      title: `Wait for ${runIds === undefined ? "all in the background" : [runIds].flat().join(", ")}`,
      subject: "",
    }),
    call: async (input, call) => await waitForSessions(input, call, clock),
  };
}

/** Waits for runs of a scope. A timeout is an answer, not an error. */
async function waitForSessions(
  { runIds, mode, timeoutSeconds }: SessionsWaitInput,
  call: SessionCall,
  clock: Pick<Clock, "schedule">,
): Promise<ToolOutcome> {
  const { scope } = call;
  const names = runIds === undefined ? undefined : [runIds].flat();
  const wanted =
    names === undefined
      ? await scope.pending()
      : await Promise.all(names.map((name) => scope.find(name)));
  if (wanted.length === 0) return { text: "You have no runs in the background.", output: empty };
  const ids = [...new Set(wanted.map(({ id }) => id))];
  const isInTime = await waitFor(ids, { mode, timeoutSeconds, clock, ...call });
  const runs = await Promise.all(ids.map((id) => scope.run(id)));
  const ended = runs.filter(({ status }) => isTerminal(status));
  if (ended.length > 0) scope.collect(ended.map(({ id }) => id));
  return describeWait(runs, isInTime);
}

const empty: JsonObject = { status: "done", results: [], waiting: [] };

interface Wait extends SessionCall, Omit<SessionsWaitInput, "runIds"> {
  clock: Pick<Clock, "schedule">;
}

/** Resolves with whether the runs ended in time. */
async function waitFor(
  ids: readonly string[],
  { mode, timeoutSeconds, clock, scope, signal, onRun }: Wait,
): Promise<boolean> {
  const ends = ids.map((id) => {
    onRun(id);
    return scope.endOf(id, signal);
  });
  const came = (mode === "all" ? Promise.all(ends) : Promise.race(ends)).then(() => true);
  if (timeoutSeconds === undefined) return await orAbort(came, signal);
  const late = Promise.withResolvers<boolean>();
  const stop = clock.schedule(timeoutSeconds * 1000, () => late.resolve(false));
  try {
    return await orAbort(Promise.race([came, late.promise]), signal);
  } finally {
    stop();
  }
}

/** The maximum total length of the results, in characters. A longer outcome would be cut in the middle. */
const maxTotalLength = 24_000;

function describeWait(runs: readonly RunOverview[], isInTime: boolean): ToolOutcome {
  const ended = runs.filter(({ status }) => isTerminal(status));
  const open = runs.filter(({ status }) => !isTerminal(status));
  const room = Math.floor(maxTotalLength / Math.max(1, ended.length));
  const parts = ended.map((run) => describeEnd(run, room));
  if (!isInTime) parts.unshift("The time is over, and not all of them have ended.");
  if (open.length > 0) {
    const list = open.map((run) => `- ${describeRunName(run)}: ${describeProgress(run)}`);
    parts.push(["Still at work:", ...list].join("\n"));
  }
  const results = ended.map(toRow);
  const waiting = open.map(toRow);
  const output = { status: isInTime ? "done" : "timed-out", results, waiting };
  return { text: parts.join("\n\n"), output };
}

function toRow({ id, label, status }: Run): JsonObject {
  return { runId: id, label, status };
}

function describeEnd(run: Run, room: number): string {
  const { id, result } = run;
  const failure = result?.failure;
  const end = failure === undefined ? "" : ` (${failure.code}: ${failure.message})`;
  const answer = result === null ? "" : answerOf(result);
  return `${describeRunName(run)} ${run.status}${end}:\n${cutResult(id, answer, room)}`;
}

/** Describes a run's current activity in a few words. */
export function describeProgress({ status, activity, turns }: RunOverview): string {
  const doing = activity === null ? "" : `, ${activity}`;
  return `${status}${doing}, ${turns} ${turns === 1 ? "turn" : "turns"}`;
}
