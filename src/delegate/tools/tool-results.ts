import { z } from "zod";
import { failureCodes } from "../../run/failure.ts";
import { terminalStatuses } from "../../run/result.ts";
import { runStatuses } from "../../run/run.ts";
import type { JsonObject } from "../../source/json.ts";
import { jsonValue } from "../../source/json-value.ts";
import { onFirstUse } from "../../on-first-use.ts";

/** The schema of the data that a delegate tool returns. */
export type ResultSchema = z.ZodType<JsonObject>;

const schemas = onFirstUse(() => {
  const text = z.string().describe("The same as text.");
  const label = z.string().nullable();

  const status = z.enum(runStatuses);

  const failure = z.looseObject({ code: z.enum(failureCodes), message: z.string() });
  const usage = z.looseObject({ inputTokens: z.number(), outputTokens: z.number() });

  const figures = z.looseObject({
    turns: z.number(),
    toolCalls: z.number(),
    usage,
    cost: z.number().nullable(),
  });

  const result = {
    runId: z.string(),
    text: z.string().describe("The agent's text."),
    output: jsonValue.optional().describe("Its structured output, where it has a schema."),
    usage: usage.optional().describe("Tokens of the run and all its descendants."),
    cost: z.number().nullable().optional().describe("US dollars; null when a price is unknown."),
    turns: z.number().optional(),
    toolCalls: z.number().optional(),
    runs: z.number().optional().describe("The number of runs, including the run itself."),
    own: figures.optional().describe("The figures of the run alone."),
    durationMs: z.number().optional(),
    failure: failure.optional().describe("Why it did not succeed."),
    warnings: z.array(z.string()).optional(),
  };

  const runResult = z.looseObject({ ...result, status: z.enum(terminalStatuses) });

  const runResultOrStart = z.looseObject({
    ...result,
    status: z.enum([...terminalStatuses, "accepted"]),
    label: label.optional(),
  });

  const row = z.looseObject({ runId: z.string(), label, status });

  const spawnResult = z.looseObject({
    status: z.enum(["accepted", "partial", "error"]),
    runs: z.array(row),
    errors: z
      .array(z.looseObject({ task: z.number(), label, code: z.string(), message: z.string() }))
      .optional(),
    text,
  });

  const waitResult = z.looseObject({
    status: z.enum(["done", "timed-out"]),
    results: z.array(row).describe("Those that have ended."),
    waiting: z.array(row).describe("Those that have not."),
    text,
  });

  const listResult = z.looseObject({
    runs: z.array(
      z.looseObject({
        ...row.shape,
        agent: z.string(),
        parentId: z.string().nullable(),
        activity: z.string().nullable(),
        turns: z.number(),
        cost: z.number().nullable(),
      }),
    ),
    text,
  });

  const sendResult = z.looseObject({
    runId: z.string(),
    messageId: z.string().optional().describe("The message to a run at work."),
    continuedAs: z.string().optional().describe("The run that goes on with it, when it had ended."),
    text,
  });

  const cancelResult = z.looseObject({ runId: z.string(), cancelled: z.boolean(), text });

  return {
    runResult,
    runResultOrStart,
    spawnResult,
    waitResult,
    listResult,
    sendResult,
    cancelResult,
  };
});

/** The result of a run. */
export const runResult: ResultSchema = lazy("runResult");

/** The same, or the id of a run that the caller does not wait for. */
export const runResultOrStart: ResultSchema = lazy("runResultOrStart");

/** The data of `sessions_spawn`. */
export const spawnResult: ResultSchema = lazy("spawnResult");

/** The data of `sessions_wait`. */
export const waitResult: ResultSchema = lazy("waitResult");

/** The data of `sessions_list`. */
export const listResult: ResultSchema = lazy("listResult");

/** The data of `sessions_send`. */
export const sendResult: ResultSchema = lazy("sendResult");

/** The data of `sessions_cancel`. */
export const cancelResult: ResultSchema = lazy("cancelResult");

/**
 * The schema `name`, made when it is used: only callers outside of runs get it. zod's type allows `undefined`, which JSON cannot
 * represent; no field here has it.
 */
function lazy(name: keyof ReturnType<typeof schemas>): ResultSchema {
  return z.lazy(() => schemas()[name]) as unknown as ResultSchema;
}
