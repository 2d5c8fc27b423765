import {
  type Context,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  trace,
  TraceFlags,
  createTraceState,
  type Tracer,
} from "@opentelemetry/api";
import type { Run } from "../../run/run.ts";
import type { TraceContext } from "../../trace-context.ts";
import { spanIdOf, traceIdOf, withIds } from "./ids.ts";
import { describeRunStart } from "./run-attributes.ts";
import { describeStepStart, type TracedStep } from "./step-attributes.ts";

/** An active step. */
export interface OpenStep {
  span: Span;
  step: TracedStep;
  /** In epoch milliseconds. */
  startedAt: number;
  /** Set when the work failed before anything was recorded. */
  failed?: { at: number; code: string };
}

/** A run that this process executes. */
export interface OpenRun {
  run: Run;
  span: Span;
  /** Whether the agent runs in another program. */
  isRunner: boolean;
  steps: Map<string, OpenStep>;
}

/** The open spans of this process. A span is exported when its end is recorded. */
export interface OpenSpans {
  get(runId: string): OpenRun | undefined;
  /** Returns the run. Starts its span if it has none. */
  openRun(run: Run): OpenRun;
  /** Returns the step. Starts its span at `startedAt` if it has none. */
  openStep(open: OpenRun, step: TracedStep, startedAt: number): OpenStep;
  /** Forgets a run whose span has ended. */
  forget(runId: string): void;
}

/** Creates an empty set of open spans. */
export function createOpenSpans(tracer: Tracer): OpenSpans {
  const runs = new Map<string, OpenRun>();

  function openRun(run: Run): OpenRun {
    const known = runs.get(run.id);
    if (known !== undefined) return known;
    const parent = parentOf(run, runs);
    const traceId = parent?.traceId ?? traceIdOf(run.rootId);
    const options = {
      startTime: new Date(run.createdAt),
      kind: SpanKind.INTERNAL,
      attributes: describeRunStart(run),
    };
    const ids = { traceId, spanId: spanIdOf(run.id) };
    const start = (): Span =>
      tracer.startSpan(`invoke_agent ${run.agent}`, options, toContext(parent));
    const open = { run, span: withIds(ids, start), isRunner: false, steps: new Map() };
    runs.set(run.id, open);
    noteTransfer(run, runs);
    return open;
  }

  return {
    get: (runId) => runs.get(runId),
    openRun,
    openStep(open, step, startedAt) {
      const known = open.steps.get(step.key);
      if (known !== undefined) return known;
      const { name, ...described } = describeStepStart(open.run, step, open.isRunner);
      const parent = spanAround(open, step.key).spanContext();
      const options = { ...described, startTime: new Date(startedAt) };
      const ids = { traceId: parent.traceId, spanId: spanIdOf(open.run.id, step.key) };
      const span = withIds(ids, () => tracer.startSpan(name, options, toContext(parent)));
      const opened = { span, step, startedAt };
      open.steps.set(step.key, opened);
      return opened;
    },
    forget: (runId) => void runs.delete(runId),
  };
}

/** Returns the key of the tool call that delegated, from the step that created the run. One call may delegate several times. */
function callOf({ parentStep }: Run): string | undefined {
  return /^(?:.*\/)?tool\/\d+\/\d+(?=\/|$)/.exec(parentStep ?? "")?.[0];
}

/** Returns the parent of a run's span: the caller's span, or that of the delegating call or run; `undefined` for none. */
function parentOf(run: Run, runs: ReadonlyMap<string, OpenRun>): SpanContext | undefined {
  if (run.parentId === null) return run.trace && readSpanContext(run.trace);
  const parent = runs.get(run.parentId);
  const call = callOf(run);
  const open = call === undefined ? undefined : parent?.steps.get(call);
  if (open !== undefined) return open.span.spanContext();
  const above = parent?.span.spanContext();
  // If the provider creates its own ids, no span has the id of a call that has ended.
  const isOwn = above === undefined || above.spanId === spanIdOf(run.parentId);
  if (above !== undefined && (call === undefined || !isOwn)) return above;
  const caller = run.trace && readSpanContext(run.trace);
  return {
    traceId: above?.traceId ?? caller?.traceId ?? traceIdOf(run.rootId),
    spanId: spanIdOf(run.parentId, call),
    traceFlags: above?.traceFlags ?? caller?.traceFlags ?? TraceFlags.SAMPLED,
    isRemote: true,
  };
}

/** Marks the call that created a run as a transfer to its agent. */
function noteTransfer(run: Run, runs: ReadonlyMap<string, OpenRun>): void {
  const open = runs.get(run.parentId ?? "")?.steps.get(callOf(run) ?? "");
  if (open === undefined || open.step.kind !== "tool") return;
  const tool = "call" in open.step ? open.step.call?.tool : undefined;
  open.span.updateName(
    ["execute_tool", ...(tool === undefined ? [] : [tool]), run.agent].join(" "),
  );
  open.span.setAttributes({
    "gen_ai.transfer.mode": "return_to_caller",
    "gen_ai.transfer.target.name": run.agent,
  });
}

/** Returns the span in which a step happens. A runner calls its tools in a turn, which is a step too. */
function spanAround({ span, steps, isRunner }: OpenRun, key: string): Span {
  if (!isRunner) return span;
  const turn = key.replace(/(^|\/)tool\/(\d+)\/\d+$/, "$1model/$2");
  return (turn === key ? undefined : steps.get(turn)?.span) ?? span;
}

/** Returns the context in which a span starts. */
function toContext(parent: SpanContext | undefined): Context {
  return parent === undefined || !isSpanContextValid(parent)
    ? ROOT_CONTEXT
    : trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** Parses a position in a trace. */
function readSpanContext({ traceparent, tracestate }: TraceContext): SpanContext {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  const traceState = tracestate === undefined ? {} : { traceState: createTraceState(tracestate) };
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true, ...traceState };
}

/** Returns the position of a span in text form; `undefined` without a span. */
export function writeSpanContext(span: SpanContext | undefined): TraceContext | undefined {
  if (span === undefined || !isSpanContextValid(span)) return undefined;
  const flags = span.traceFlags.toString(16).padStart(2, "0");
  const tracestate = span.traceState?.serialize();
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(tracestate !== undefined && tracestate !== "" && { tracestate }),
  };
}

/** Executes `work` with `span` as the active span, also for the program's own instrumentation. */
export function withActive<Value>(span: Span, work: () => Value): Value {
  return context.with(trace.setSpan(context.active(), span), work);
}
