import { z } from "zod";
import { failureCodes } from "../run/failure.ts";
import type { JsonObject } from "../source/json.ts";

/** Checks what a delegate tool gives as data, and says to programs what that is. */
export type ResultSchema = z.ZodType<JsonObject>;

const text = z.string().describe("The same in words.");
const label = z.string().nullable();

const statuses = ["queued", "waiting", "running", "awaiting-approval"] as const;
const ends = ["succeeded", "failed", "cancelled", "timed-out"] as const;
const status = z.enum([...statuses, ...ends]);

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
  text: z.string().describe("What the agent said."),
  output: z.json().optional().describe("Its structured output, where it has a schema."),
  usage: usage.optional().describe("Tokens of the run and all its descendants."),
  cost: z.number().nullable().optional().describe("US dollars; null when a price is unknown."),
  turns: z.number().optional(),
  toolCalls: z.number().optional(),
  runs: z.number().optional().describe("How many runs that is, the run itself included."),
  own: figures.optional().describe("The same of the run alone."),
  durationMs: z.number().optional(),
  failure: failure.optional().describe("Why it did not succeed."),
  warnings: z.array(z.string()).optional(),
};

/** What a run came to. */
export const runResult: ResultSchema = json(z.looseObject({ ...result, status: z.enum(ends) }));

/** The same, or that a run was started which nobody waits for. */
export const runResultOrStart: ResultSchema = json(
  z.looseObject({ ...result, status: z.enum([...ends, "accepted"]), label: label.optional() }),
);

const row = z.looseObject({ runId: z.string(), label, status });

/** What `sessions_spawn` gives. */
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

/** What `sessions_wait` gives. */
export const waitResult: ResultSchema = json(
  z.looseObject({
    status: z.enum(["done", "timed-out"]),
    results: z.array(row).describe("Those that have ended."),
    waiting: z.array(row).describe("Those that have not."),
    text,
  }),
);

/** What `sessions_list` gives. */
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

/** What `sessions_send` gives. */
export const sendResult: ResultSchema = json(
  z.looseObject({ runId: z.string(), messageId: z.string(), text }),
);

/** What `sessions_cancel` gives. */
export const cancelResult: ResultSchema = json(
  z.looseObject({ runId: z.string(), cancelled: z.boolean(), text }),
);

/** What zod reads of an object may also be `undefined`, which JSON cannot say; nothing here is. */
function json(schema: z.ZodType): ResultSchema {
  return schema as ResultSchema;
}
