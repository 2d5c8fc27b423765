import { z } from "zod";
import { runStatuses } from "../../host.ts";

// Answers have more fields than these schemas: docs/serve.md names the types with all fields.

const count = z.int().min(0);
const time = z.int().describe("Epoch milliseconds.");

/** A problem of RFC 9457. */
export const problemSchema: z.ZodType = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    details: z.looseObject({}).optional(),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
  })
  .meta({ id: "Problem" });

const figures = {
  turns: count,
  toolCalls: count,
  usage: z.looseObject({ inputTokens: count, outputTokens: count }),
  cost: z.number().nullable().describe("US dollars; null when a price is unknown."),
};

/** A project: `ApiProject`. */
export const projectSchema: z.ZodType = z
  .object({ id: z.string(), path: z.string(), isTrusted: z.boolean() })
  .meta({ id: "Project" });

/** A run: `RunOverview`. */
export const runSchema: z.ZodType = z
  .looseObject({
    id: z.string(),
    rootId: z.string(),
    parentId: z.string().nullable(),
    agent: z.string(),
    task: z.string(),
    label: z.string().nullable(),
    status: z.enum(runStatuses),
    activity: z.string().nullable(),
    model: z.string().nullable(),
    createdAt: time,
    startedAt: time.nullable(),
    endedAt: time.nullable(),
    lastSeq: count,
    runs: count,
    ...figures,
    own: z.looseObject(figures),
    result: z.looseObject({ status: z.string(), text: z.string() }).nullable(),
    isLeft: z
      .boolean()
      .describe("Whether the run's process is gone; POST /runs/{run}/resume continues the run."),
  })
  .meta({ id: "Run" });

/** An event of the journal: `RunEvent`. */
export const eventSchema: z.ZodType = z
  .looseObject({ runId: z.string(), seq: count, at: time, type: z.string() })
  .meta({ id: "Event" });

/** An activity of a run with its time: `StepSpan`. */
export const stepSchema: z.ZodType = z
  .looseObject({
    key: z.string(),
    kind: z.enum(["model", "tool", "question", "retry", "event"]),
    title: z.string(),
    from: time,
    to: time.nullable(),
  })
  .meta({ id: "Step" });

/** A part of a transcript: `RunStreamPart`. */
export const partSchema: z.ZodType = z
  .looseObject({ runId: z.string(), type: z.string() })
  .meta({ id: "Part" });

/** An open question: `Question`. */
export const questionSchema: z.ZodType = z
  .looseObject({
    id: z.string(),
    runId: z.string(),
    rootId: z.string(),
    chain: z.array(z.string()),
    tool: z.string(),
    title: z.string(),
    reason: z.string(),
    proposal: z.string().optional(),
    askedAt: time,
  })
  .meta({ id: "Question" });

/** A conversation: `Conversation`. */
export const conversationSchema: z.ZodType = z
  .looseObject({
    id: z.string(),
    lastRunId: z.string(),
    title: z.string(),
    turns: count,
    lastActivityAt: time,
  })
  .meta({ id: "Conversation" });

/** A finding in a file: `Diagnostic`. */
export const findingSchema: z.ZodType = z
  .looseObject({
    path: z.string(),
    line: z.int(),
    severity: z.enum(["error", "warning", "info"]),
    code: z.string(),
    message: z.string(),
    fix: z.string().nullable(),
  })
  .meta({ id: "Finding" });

/** An eval: `EvalOverview`. */
export const evalSchema: z.ZodType = z
  .looseObject({
    id: z.string(),
    state: z
      .enum(["running", "finished", "interrupted"])
      .describe("interrupted: POST /evals/{eval}/resume continues it."),
    outcome: z.enum(["pass", "fail", "error"]).describe("The outcome of the trials so far."),
    startedAt: time,
    endedAt: time.nullable(),
    files: z.array(z.string()),
    trials: count.describe("The number of planned trials."),
    passed: count,
    failed: count,
    errors: count,
    cost: z.number().nullable().describe("US dollars; null when a price is unknown."),
    tokens: count,
  })
  .meta({ id: "Eval" });

/** A run that a request started or found. */
export const startedSchema: z.ZodType = z.object({ run: runSchema });
