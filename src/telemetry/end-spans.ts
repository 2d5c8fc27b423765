import { type Attributes, type Span, SpanStatusCode } from "@opentelemetry/api";
import type { RunEvent } from "../run/event.ts";
import type { Run } from "../run/run.ts";
import { shortenContent, textMessage } from "./span/content.ts";
import type { OpenRun, OpenSpans, OpenStep } from "./span/open-spans.ts";
import type { WriteContent } from "./span/redact-content.ts";
import type { Metrics } from "./record-metrics.ts";
import { describeRunEnd } from "./span/run-attributes.ts";
import { secondsBetween } from "./span/seconds-between.ts";
import {
  describeContent,
  describeModel,
  describeStepEnd,
  isFailedCall,
  modelOf,
  type StepEnd,
} from "./span/step-attributes.ts";

/** The outputs of the projection. */
export interface ProjectionOptions {
  spans: OpenSpans;
  metrics: Metrics;
  write: WriteContent;
}

/** Ends the spans of runs and steps that have ended, and counts them in the metrics. */
export interface SpanEnds {
  step(open: OpenRun, event: StepEnd): void;
  /** Ends the steps whose work failed. With `code`, also ends those that the end of the run interrupted. */
  failedSteps(open: OpenRun, at: number, code?: string): void;
  run(open: OpenRun, event: Extract<RunEvent, { type: "run-finished" }>): void;
}

/** Creates {@link SpanEnds}. */
export function createSpanEnds({ spans, metrics, write }: ProjectionOptions): SpanEnds {
  function addContent(span: Span, describe: (how: NonNullable<WriteContent>) => Attributes): void {
    if (write !== undefined && span.isRecording()) span.setAttributes(describe(write));
  }

  function failedSteps(open: OpenRun, at: number, code?: string): void {
    for (const ended of open.steps.values()) {
      const failure = ended.failed ?? (code === undefined ? undefined : { at, code });
      if (failure === undefined) continue;
      const { span, step, startedAt } = ended;
      setFailed(span, failure.code);
      addContent(span, (how) => describeContent(step, undefined, how));
      const about = { "error.type": failure.code };
      const duration = secondsBetween(startedAt, failure.at);
      if (step.kind === "tool") metrics.call({ ...describeTool(ended), ...about }, duration);
      else metrics.request({ ...describeAsked(open), ...about }, duration);
      endSpan(open, ended, failure.at);
    }
  }

  return {
    failedSteps,
    step(open, event) {
      const { key, kind, at, durationMs, usage, cost = null } = event;
      // A fork begins with recorded steps of another run.
      if (kind === "note" || open.run.startedAt === null) return;
      const ended = spans.openStep(open, { key, kind }, at - durationMs);
      const { span, step } = ended;
      span.setAttributes(describeStepEnd(open.run, event));
      addContent(span, (how) => describeContent(step, event, how));
      const failure = isFailedCall(event) ? { "error.type": "tool_error" } : {};
      if (isFailedCall(event)) setFailed(span, "tool_error");
      endSpan(open, ended, at);
      const duration = durationMs / 1000;
      if (kind === "tool") metrics.call({ ...describeTool(ended), ...failure }, duration);
      else metrics.request(describeAsked(open, event), duration);
      if (usage !== undefined) metrics.spend(describeAsked(open, event), usage, cost);
    },
    run(open, { result, at }) {
      const { span, run } = open;
      const { failure, status, text } = result;
      failedSteps(open, at, failure?.code ?? status);
      span.setAttributes(describeRunEnd(run, result));
      if (failure !== undefined) setFailed(span, failure.code);
      addContent(span, (how) => ({
        "gen_ai.input.messages": how([textMessage("user", run.task)]),
        "gen_ai.output.messages": how([textMessage("assistant", text)]),
        ...(failure !== undefined && { "error.message": how(shortenContent(failure.message)) }),
      }));
      span.end(new Date(at));
      spans.forget(run.id);
      const code = failure === undefined ? {} : { "error.type": failure.code };
      const about = { ...describeAgent(run), "cadre.run.status": status, ...code };
      metrics.end(about, secondsBetween(run.createdAt, at));
    },
  };
}

function endSpan({ steps }: OpenRun, { span, step }: OpenStep, at: number): void {
  span.end(new Date(at));
  steps.delete(step.key);
}

function setFailed(span: Span, code: string): void {
  span.setAttribute("error.type", code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Returns the attributes of a run's agent, for metrics. */
export function describeAgent({ agent }: Run): Attributes {
  return { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent };
}

function describeTool({ step }: OpenStep): Attributes {
  const tool = "call" in step ? step.call?.tool : undefined;
  const operation = { "gen_ai.operation.name": "execute_tool" };
  return tool === undefined ? operation : { ...operation, "gen_ai.tool.name": tool };
}

/** Returns the attributes of a run's model or runner, for metrics. */
export function describeAsked({ run, isRunner }: OpenRun, event?: StepEnd): Attributes {
  if (isRunner) return { ...describeAgent(run), "gen_ai.provider.name": "cadre.runner" };
  const model = event === undefined ? (run.model ?? undefined) : modelOf(run, event);
  return { "gen_ai.operation.name": "chat", ...(model !== undefined && describeModel(model)) };
}
