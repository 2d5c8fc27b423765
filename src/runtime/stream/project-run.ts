import { type LiveOutput, outputSince } from "../../engine/live/live-output.ts";
import type { LiveReply } from "../../engine/live/live-reply.ts";
import type { RunEvent } from "../../run/event.ts";
import type { RecordedResult } from "../../run/result.ts";
import { describeModelChange } from "../../run/fallback/model-change.ts";
import { readRecordedOutcome } from "../../run/outcome/read-recorded-outcome.ts";
import { findTaskCall } from "../../run/task-call.ts";
import type { RunSpec } from "../../run/run.ts";
import { createReplyProjection, type Part, type ReplyProjection } from "./project-reply.ts";
import { readRecordedReply } from "./recorded-reply.ts";
import { createReplyText, type ReplyText } from "./reply-text.ts";
import type { EventOf } from "../../run/event.ts";

/** Converts the journal of one run, and its replies as they arrive, to the parts of a stream. */
export interface RunProjection {
  event(event: RunEvent): Part[];
  live(reply: LiveReply): Part[];
  /** Returns the parts of an output that arrived since the last call. */
  output(output: LiveOutput): Part[];
}

/** Creates the projection of one run, which begins with the first event of its journal. */
export function createRunProjection(): RunProjection {
  /** The replies that were seen while they arrived. */
  const replies = new Map<string, ReplyProjection>();
  /** The recorded steps, for which another process may still send pieces. */
  const finished = new Set<string>();
  const calls = createEarlyCalls();
  const outputs = createShownOutputs();
  const replyText = createReplyText();
  let spec: Pick<RunSpec, "outputSchema" | "summary" | "taskCalls"> = {};

  const projectionOf = (step: string): ReplyProjection =>
    replies.get(step) ?? createReplyProjection(step, spec.outputSchema !== undefined);

  function grow(reply: LiveReply): Part[] {
    if (finished.has(reply.step)) return [];
    const projection = projectionOf(reply.step);
    replies.set(reply.step, projection);
    return projection.grow(reply);
  }

  function finishReply({ key: step, value, usage, cost }: FinishedStep): Part[] {
    const { parts, finish } = readRecordedReply(value);
    const projected = projectionOf(step).finish(parts, (id) => calls.has(id));
    replies.delete(step);
    const spent = { usage: usage ?? null, cost: cost ?? null };
    projected.push({ type: "reply-finished", step, finish, ...spent });
    return projected;
  }

  function project(event: RunEvent): Part[] {
    if (event.type === "run-created") {
      ({ spec } = event);
      return [announceRun(event.spec)];
    }
    if (event.type === "step-started") return calls.take(event, spec.taskCalls);
    if (event.type === "step-finished") {
      finished.add(event.key);
      outputs.forget(event.key);
      // A refused call has no start.
      return event.kind === "model"
        ? finishReply(event)
        : [...calls.take(event, spec.taskCalls), ...projectPlain(event)];
    }
    if (event.type === "model-retried") {
      return replies.get(event.key)?.discard(event.reason) ?? [];
    }
    if (event.type === "model-changed") {
      const discarded = replies.get(event.key)?.discard(event.reason) ?? [];
      return [...discarded, { type: "warning", message: `${describeModelChange(event)}.` }];
    }
    if (event.type === "run-finished") return finishRun(event.result, replyText, spec);
    return projectPlain(event);
  }

  const remember = (parts: Part[]): Part[] => {
    for (const part of parts) replyText.add(part);
    return parts;
  };
  return {
    event: (event) => remember(project(event)),
    live: (reply) => remember(grow(reply)),
    output: (output) => (finished.has(output.step) ? [] : outputs.show(output)),
  };
}

/** The arriving outputs, up to the part that was returned. */
interface ShownOutputs {
  show(output: LiveOutput): Part[];
  forget(step: string): void;
}

function createShownOutputs(): ShownOutputs {
  const shown = new Map<string, number>();
  return {
    show(output) {
      const { step: id, total } = output;
      const seen = shown.get(id) ?? 0;
      shown.set(id, total);
      return seen === total ? [] : [{ type: "tool-output", id, text: outputSince(output, seen) }];
    },
    forget: (step) => void shown.delete(step),
  };
}

type FinishedStep = EventOf<"step-finished">;

/**
 * The calls that are shown when they start. Other calls are shown with the reply that made them. A runner reports calls before the
 * reply, and the calls of a task belong to no reply.
 */
interface EarlyCalls {
  has(id: string): boolean;
  /** Returns the call of a step, once. A refused call has no start. */
  take(event: EventOf<"step-started"> | FinishedStep, ofTask: RunSpec["taskCalls"]): Part[];
}

function createEarlyCalls(): EarlyCalls {
  const reported = new Set<string>();
  return {
    has: (id) => reported.has(id),
    take(event, ofTask) {
      const { key: id } = event;
      if (reported.has(id)) return [];
      const call = findTaskCall(ofTask, id) ?? callOfRunner(event);
      if (call === undefined) return [];
      reported.add(id);
      return [{ type: "tool-call", id, ...call }];
    },
  };
}

function callOfRunner(event: EventOf<"step-started"> | FinishedStep) {
  if (event.type === "step-finished" || event.tool === undefined) return undefined;
  const { tool, title } = event;
  return { tool, input: { title } };
}

/** Converts events that do not depend on others. */
function projectPlain(event: RunEvent): Part[] {
  if (event.type === "step-finished") return event.kind === "tool" ? [toolResult(event)] : [];
  if (event.type === "messages-delivered") {
    return event.messages.map(({ id, from, text }) => ({ type: "message", id, from, text }));
  }
  if (event.type === "approval-requested") {
    return [{ type: "approval-requested", request: event.request }];
  }
  if (event.type === "approval-answered") {
    return [{ type: "approval-answered", step: event.stepKey, answer: event.answer }];
  }
  if (event.type === "warning-raised") return [{ type: "warning", message: event.message }];
  if (event.type === "attempt-failed") {
    const { attempt, failure } = event;
    return [{ type: "attempt-failed", attempt, failure }];
  }
  return [];
}

/** Returns the end of a run, after the text that is in none of its replies: of programs, of cached results, and of stopped runs. */
function finishRun(
  result: RecordedResult,
  replyText: ReplyText,
  { summary }: Pick<RunSpec, "summary">,
): Part[] {
  const { text, output, status } = result;
  const isTranscript = summary === false && status === "succeeded" && replyText.hasAny;
  // An output in place of a text is already in its call and in the result.
  const isOutput = output !== undefined && text === JSON.stringify(output);
  const missing = isTranscript || isOutput ? undefined : replyText.missingOf(text);
  const end = announceEnd(result);
  return missing === undefined ? [end] : [{ type: "text", ...missing }, end];
}

/** Returns the part that announces a run. */
export function announceRun(
  run: Pick<RunSpec, "parentId" | "parentStep" | "agent" | "task" | "label">,
): Part {
  const { parentId, parentStep: step, agent, task, label } = run;
  return { type: "run-created", parentId, step, agent, task, label };
}

/** Returns the part that reports the end of a run. */
export function announceEnd(result: RecordedResult): Part {
  return { type: "run-finished", result };
}

function toolResult({ key: id, value }: FinishedStep): Part {
  return { type: "tool-result", id, ...readRecordedOutcome(value) };
}
