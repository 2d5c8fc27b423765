import { z } from "zod";
import type { Clock } from "../clock.ts";
import { cutResult } from "../engine/compose-task.ts";
import { closedObject } from "../source/closed-object.ts";
import { orAbort } from "../source/or-abort.ts";
import { answerOf } from "../run/answer.ts";
import { isTerminal, type Run } from "../run/run.ts";
import type { RunOverview } from "../run/figures/run-overview.ts";
import type { JsonObject } from "../source/json.ts";
import { defineTool, type Tool, type ToolOutcome } from "../tool/tool.ts";
import { timeoutSchema } from "./check-delegation.ts";
import {
  awaitEnd,
  createFamilyScope,
  describeRunName,
  type SessionPort,
  type SessionScope,
} from "./session-scope.ts";

/** The arguments of `sessions_wait`. */
export interface SessionsWaitInput {
  runIds?: string | string[] | undefined;
  mode: "all" | "any";
  timeoutSeconds?: number | undefined;
}

/** Checks the arguments of `sessions_wait`. */
export const sessionsWaitInput: z.ZodType<SessionsWaitInput> = closedObject({
  runIds: z
    .union([z.string().min(1), z.array(z.string().min(1)).max(1000)])
    .optional()
    .describe("Ids or labels; left out: all you have in the background."),
  mode: z.enum(["all", "any"]).default("all").describe("Wait for all of them, or for the first."),
  timeoutSeconds: timeoutSchema.optional().describe("Wait no longer than this; they go on then."),
});

/** What a model is told of the tool. */
const sessionsWaitDescription =
  "Waits for runs you started in the background and returns their results, which do not enter your conversation a second time. Results come to you by themselves: wait only where you cannot go on without them.";

/** What waiting needs. */
export interface Waiting {
  clock: Pick<Clock, "schedule">;
  endOf: (runId: string) => Promise<void>;
  signal: AbortSignal;
}

/** The `sessions_wait` tool: waits for runs in the background, with the slot of the caller given back. */
export function createSessionsWaitTool(port: SessionPort, clock: Waiting["clock"]): Tool {
  return defineTool({
    name: "sessions_wait",
    description: sessionsWaitDescription,
    access: "none",
    comesAfter: true,
    input: sessionsWaitInput,
    describe: ({ runIds }) => ({
      title: `Wait for ${runIds === undefined ? "all in the background" : [runIds].flat().join(", ")}`,
      subject: "",
      paths: [],
    }),
    async execute(input, context) {
      const scope = createFamilyScope(port, context);
      const { signal } = context;
      const endOf = (runId: string): Promise<void> => awaitEnd(port, runId, signal);
      const waiting = { clock, signal, endOf };
      return await context.yieldWhile(waitForSessions(scope, input, waiting));
    },
  });
}

/** Waits for runs of `scope`; that they are not over in time is an answer like any other. */
export async function waitForSessions(
  scope: Pick<SessionScope, "find" | "pending" | "collect" | "run">,
  { runIds, mode, timeoutSeconds }: SessionsWaitInput,
  waiting: Waiting,
): Promise<ToolOutcome> {
  const names = runIds === undefined ? undefined : [runIds].flat();
  const wanted =
    names === undefined
      ? await scope.pending()
      : await Promise.all(names.map((name) => scope.find(name)));
  if (wanted.length === 0) return { text: "You have no runs in the background.", output: empty };
  const ids = [...new Set(wanted.map(({ id }) => id))];
  const isInTime = await waitFor(ids, { mode, timeoutSeconds, ...waiting });
  const runs = await Promise.all(ids.map((id) => scope.run(id)));
  const ended = runs.filter(({ status }) => isTerminal(status));
  if (ended.length > 0) scope.collect(ended.map(({ id }) => id));
  return describeWait(runs, isInTime);
}

const empty: JsonObject = { status: "done", results: [], waiting: [] };

/** Whether what was waited for came before the time was over. */
async function waitFor(
  ids: readonly string[],
  { mode, timeoutSeconds, clock, signal, endOf }: Waiting & Omit<SessionsWaitInput, "runIds">,
): Promise<boolean> {
  const ends = ids.map((id) => endOf(id));
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

/** Together they must fit into one outcome: a longer one would be cut in the middle of some result. */
const longestTogether = 24_000;

function describeWait(runs: readonly RunOverview[], isInTime: boolean): ToolOutcome {
  const ended = runs.filter(({ status }) => isTerminal(status));
  const open = runs.filter(({ status }) => !isTerminal(status));
  const room = Math.floor(longestTogether / Math.max(1, ended.length));
  const parts = ended.map((run) => describeEnd(run, room));
  if (!isInTime) parts.unshift("The time is over, and they are not.");
  if (open.length > 0) {
    const list = open.map((run) => `- ${describeRunName(run)}: ${describeStand(run)}`);
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
  const said = result === null ? "" : answerOf(result);
  return `${describeRunName(run)} ${run.status}${end}:\n${cutResult(id, said, room)}`;
}

/** What a run that is at work does, in a few words. */
export function describeStand({ status, activity, turns }: RunOverview): string {
  const doing = activity === null ? "" : `, ${activity}`;
  return `${status}${doing}, ${turns} ${turns === 1 ? "turn" : "turns"}`;
}
