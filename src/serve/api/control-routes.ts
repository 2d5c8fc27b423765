import { z } from "zod";
import {
  type ApprovalAnswer,
  approvalAnswerSchema,
  closedObject,
  limitRaiseSchema,
} from "../../host.ts";
import { defineRoute, queryNumber, type Route } from "../http/route.ts";
import { questionSchema, runSchema } from "../http/schemas.ts";
import { viewRun } from "./view-run.ts";

const text = z.string().regex(/\S/, "expected a text, got none");

const cancelRun = defineRoute({
  method: "POST",
  path: "/runs/{run}/cancel",
  operation: "cancelRun",
  summary:
    "Ends a run and its descendants, whichever process executes them, and waits until they have ended.",
  body: closedObject({ reason: text.exactOptional(), keepDetached: z.boolean().exactOptional() }),
  answer: z.object({ isCancelled: z.boolean(), run: runSchema }),
  async handle({ services: { cadre }, param, body: { reason, ...how } }) {
    const run = await cadre.find(param("run"));
    const isCancelled = await run.cancel(reason, how);
    return { json: { isCancelled, run: await viewRun(cadre, run.id) } };
  },
});

const sendMessage = defineRoute({
  method: "POST",
  path: "/runs/{run}/messages",
  operation: "sendMessage",
  summary:
    "Sends a message to an active run, which reads it before its next model request. `messageId` is null when the run has ended.",
  body: closedObject({ text }),
  answer: z.object({ runId: z.string(), messageId: z.string().nullable() }),
  async handle({ services: { cadre }, param, body }) {
    const run = await cadre.find(param("run"));
    return { json: { runId: run.id, messageId: (await run.send(body.text)) ?? null } };
  },
});

const raiseLimits = defineRoute({
  method: "POST",
  path: "/runs/{run}/raise",
  operation: "raiseLimits",
  summary:
    "Adds to the existing limits of an active run: its timeout and its own budget. If another process executes the run, it reads the request soon.",
  body: limitRaiseSchema,
  answer: z.object({ run: runSchema }),
  async handle({ services: { cadre }, param, body }) {
    const run = await cadre.find(param("run"));
    await run.raise(body);
    return { json: { run: await viewRun(cadre, run.id) } };
  },
});

const readResult = defineRoute({
  method: "GET",
  path: "/runs/{run}/result",
  operation: "readResult",
  summary: "Waits for the result of a run, at most `wait` seconds.",
  query: closedObject({ wait: queryNumber(0, 600).default(60) }),
  answer: z.object({ result: z.looseObject({ status: z.string(), text: z.string() }) }),
  async handle({ services: { cadre, ending }, param, query: { wait }, request }) {
    const run = await cadre.find(param("run"));
    const signal = AbortSignal.any([request.signal, ending]);
    return { json: { result: await run.result({ timeoutMs: wait * 1000, signal }) } };
  },
});

const listQuestions = defineRoute({
  method: "GET",
  path: "/questions",
  operation: "listQuestions",
  summary: "Lists the open permission questions of all processes, oldest first.",
  isShared: true,
  answer: z.object({ questions: z.array(questionSchema) }),
  handle: async ({ services: { cadre } }) => ({ json: { questions: await cadre.questions() } }),
});

const answerQuestion = defineRoute({
  method: "POST",
  path: "/answers",
  operation: "answerQuestion",
  summary:
    "Answers a question, whichever process executes the run. `isTaken` is false when no process executes the run; the run gets the answer when it is resumed.",
  body: closedObject({ question: text, answer: approvalAnswerSchema }),
  answer: z.object({ isTaken: z.boolean() }),
  async handle({ services: { cadre }, body: { question, answer } }) {
    return { json: { isTaken: await cadre.answer(question, answer as ApprovalAnswer) } };
  },
});

/** The routes that act on active runs. */
export const controlRoutes: readonly Route[] = [
  cancelRun,
  sendMessage,
  raiseLimits,
  readResult,
  listQuestions,
  answerQuestion,
];
