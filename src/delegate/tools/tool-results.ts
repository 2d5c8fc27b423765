import { z } from "zod";
import { failureCodes } from "../../run/failure.ts";
import { terminalStatuses } from "../../run/result.ts";
import { runStatuses } from "../../run/run.ts";
import type { JsonObject } from "../../source/json.ts";

/** The schema of a delegate tool's data. */
export type ResultSchema = z.ZodType<JsonObject>;

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
  output: z.json().optional().describe("Its structured output, if it has a schema."),
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

/** The result of a run. */
export const runResult: ResultSchema = json(
  z.looseObject({ ...result, status: z.enum(terminalStatuses) }),
);

/** The result of a run, or the id of a run that the caller does not wait for. */
export const runResultOrStart: ResultSchema = json(
  z.looseObject({
    ...result,
    status: z.enum([...terminalStatuses, "accepted"]),
    label: label.optional(),
  }),
);

const row = z.looseObject({ runId: z.string(), label, status });

/** The data of `sessions_spawn`. */
export const spawnResult: ResultSchema = json(
  z.looseObject({
    status: z.enum(["accepted", "partial", "error"]),
    runs: z.array(row),
    errors: z
      .array(z.looseObject({ task: z.number(), label, code: z.string(), message: z.string() }))
      .optional(),
    text,
  }),
);

/** The data of `sessions_wait`. */
export const waitResult: ResultSchema = json(
  z.looseObject({
    status: z.enum(["done", "timed-out"]),
    results: z.array(row).describe("The runs that have ended."),
    waiting: z.array(row).describe("The runs that have not ended."),
    text,
  }),
);

/** The data of `sessions_list`. */
export const listResult: ResultSchema = json(
  z.looseObject({
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
  }),
);

/** The data of `sessions_send`. */
export const sendResult: ResultSchema = json(
  z.looseObject({
    runId: z.string(),
    messageId: z.string().optional().describe("The message to an active run."),
    continuedAs: z
      .string()
      .optional()
      .describe("The run that continues with the message, if the run had ended."),
    text,
  }),
);

/** The data of `sessions_cancel`. */
export const cancelResult: ResultSchema = json(
  z.looseObject({ runId: z.string(), cancelled: z.boolean(), text }),
);

/** zod's type allows `undefined`, which JSON cannot represent; no field here has it. */
function json(schema: z.ZodType): ResultSchema {
  return schema as ResultSchema;
}
