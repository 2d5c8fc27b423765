// The journal of a run as the steps of a timeline: their kinds and durations, without their content.

import { isRecord, type JsonValue } from "../../source/json.ts";
import type { RunEvent } from "../event.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The kind of a step on a timeline. */
export type StepSpanKind = "model" | "tool" | "question" | "retry" | "event";

/**
 * A step of a run: a model request, a tool call, a question to the user, a pause before a retry, or the dispatch of a pipeline
 * event. Times are epoch milliseconds.
 */
export interface StepSpan {
  key: string;
  kind: StepSpanKind;
  /** The title of a call or question, the reason of a retry, or the name of an event. */
  title: string;
  from: number;
  /** `null` = the step has not ended. */
  to: number | null;
  /** The size of a model request and of its reply. */
  tokens?: { input: number; output: number };
  /** The agent of a pipeline that emitted the event (`null`: the pipeline itself), and the agents that received it, in order. */
  emittedBy?: string | null;
  heardBy?: readonly string[];
}

/** The steps of a run up to an event. */
export interface RunSteps {
  /** In the order in which they were recorded. */
  steps: readonly StepSpan[];
  /** The number of the last event included. */
  lastSeq: number;
}

/** Returns the steps of a run after further `events` of its journal, in their order. */
export function readSteps(
  events: readonly RunEvent[],
  before: RunSteps = { steps: [], lastSeq: 0 },
): RunSteps {
  const steps = [...before.steps];
  for (const event of events) addEvent(steps, event);
  return { steps, lastSeq: events.at(-1)?.seq ?? before.lastSeq };
}

function addEvent(steps: StepSpan[], event: RunEvent): void {
  const { at } = event;
  if (event.type === "step-started") {
    steps.push({ key: event.key, kind: "tool", title: event.title, from: at, to: null });
  }
  if (event.type === "step-finished") finishStep(steps, event);
  if (event.type === "model-retried") {
    const { key, reason: title, delayMs } = event;
    steps.push({ key, kind: "retry", title, from: at, to: at + delayMs });
  }
  if (event.type === "approval-requested") {
    const { stepKey: key, title } = event.request;
    steps.push({ key, kind: "question", title, from: at, to: null });
  }
  if (event.type === "approval-answered") end(steps, "question", event.stepKey, at);
  if (event.type === "run-started" || event.type === "run-finished") endAll(steps, at);
}

/** Ends the open steps when their process was killed or their run was stopped. */
function endAll(steps: StepSpan[], at: number): void {
  for (const [index, step] of steps.entries()) {
    if (step.to === null) steps[index] = { ...step, to: at };
  }
}

function finishStep(
  steps: StepSpan[],
  { key, kind, at, durationMs, usage, value }: Extract<RunEvent, { type: "step-finished" }>,
): void {
  if (end(steps, "tool", key, at)) return;
  const from = at - durationMs;
  if (kind === "model") {
    const tokens = usage && { input: usage.inputTokens, output: usage.outputTokens };
    steps.push({ key, kind, title: key, from, to: at, ...omitUndefined({ tokens }) });
  }
  const event = kind === "note" ? readDispatch(key, value) : undefined;
  if (event !== undefined) steps.push({ key, kind: "event", from, to: at, ...event });
}

/** Ends the last open step of a kind and key. Returns whether there is one. */
function end(steps: StepSpan[], kind: StepSpanKind, key: string, at: number): boolean {
  const index = steps.findLastIndex(
    (step) => step.kind === kind && step.key === key && step.to === null,
  );
  const step = steps[index];
  if (step === undefined) return false;
  steps[index] = { ...step, to: at };
  return true;
}

/** Reads the dispatch of a pipeline event. Journals are untrusted. */
function readDispatch(
  key: string,
  value: JsonValue,
): Required<Pick<StepSpan, "title" | "emittedBy" | "heardBy">> | undefined {
  if (!key.startsWith("pipeline/") || !isRecord(value)) return undefined;
  const { event, emitted_by: by, agents } = value;
  if (typeof event !== "string") return undefined;
  const heardBy = Array.isArray(agents) ? agents.filter((name) => typeof name === "string") : [];
  return { title: event, emittedBy: typeof by === "string" ? by : null, heardBy };
}
