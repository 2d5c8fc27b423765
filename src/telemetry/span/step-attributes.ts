import { type Attributes, SpanKind } from "@opentelemetry/api";
import type { RecordedReply } from "../../engine/loop/turns.ts";
import type { Step } from "../../engine/run-context/step.ts";
import type { RunEvent } from "../../run/event.ts";
import { readRecordedOutcome } from "../../run/outcome/read-recorded-outcome.ts";
import type { Run } from "../../run/run.ts";
import { isRecord } from "../../source/json.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { shortenContent, describePrompt, describeReply } from "./content.ts";
import { nameModel } from "./provider-name.ts";
import type { WriteContent } from "./redact-content.ts";
import { describeUsage, optionalAttributes } from "./run-attributes.ts";

/** A step with a span: a model request, a tool call, or a turn of a runner. */
export type TracedStep = Exclude<Step, { kind: "note" }> | { key: string; kind: "model" | "tool" };

/** A recorded step. */
export type StepEnd = Extract<RunEvent, { type: "step-finished" }>;

/** The beginning of a span. */
export interface SpanStart {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
}

/** Describes a step when its span starts. `isRunner`: the run's agent is in another program. */
export function describeStepStart(run: Run, step: TracedStep, isRunner: boolean): SpanStart {
  const common = {
    "gen_ai.agent.name": run.agent,
    "cadre.run.id": run.id,
    "cadre.step.key": step.key,
  };
  if (step.kind === "tool") {
    const { tool, id } = "call" in step && step.call !== undefined ? step.call : {};
    const operation = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function" };
    const call = optionalAttributes({ "gen_ai.tool.name": tool, "gen_ai.tool.call.id": id });
    const attributes = { ...operation, ...call, ...common };
    const name = tool === undefined ? "execute_tool" : `execute_tool ${tool}`;
    return { name, kind: SpanKind.INTERNAL, attributes };
  }
  const conversation = { "gen_ai.conversation.id": run.id };
  if (isRunner) {
    const operation = { "gen_ai.operation.name": "invoke_agent", "cadre.runner": true };
    const attributes = { ...operation, ...conversation, ...common };
    return { name: `invoke_agent ${run.agent}`, kind: SpanKind.CLIENT, attributes };
  }
  const asked = run.model === null ? {} : describeModel(run.model);
  const attributes = { "gen_ai.operation.name": "chat", ...asked, ...conversation, ...common };
  const name = run.model === null ? "chat" : `chat ${nameModel(run.model).model}`;
  return { name, kind: SpanKind.CLIENT, attributes };
}

/** Returns the attributes of the provider and the requested model. */
export function describeModel(reference: string): Attributes {
  const { provider, model } = nameModel(reference);
  return { "gen_ai.provider.name": provider, "gen_ai.request.model": model };
}

/** Returns the attributes of a step at its end. */
export function describeStepEnd(run: Run, event: StepEnd): Attributes {
  const { kind, value, usage, cost } = event;
  if (kind !== "model") return isFailedCall(event) ? { "error.type": "tool_error" } : {};
  const reply = readReply(value);
  const model = modelOf(run, event);
  return {
    ...(model !== undefined && describeModel(model)),
    ...(usage !== undefined && describeUsage(usage)),
    ...(reply.finish !== undefined && { "gen_ai.response.finish_reasons": [reply.finish] }),
    ...optionalAttributes({
      "gen_ai.response.id": reply.response?.id,
      "gen_ai.response.model": reply.response?.model,
      "cadre.cost": cost,
    }),
  };
}

/** Returns the model of a recorded request as `provider:model`. A program may use another model than its run's. */
export function modelOf(run: Run, { value }: StepEnd): string | undefined {
  const model = isRecord(value) ? value["model"] : undefined;
  return typeof model === "string" ? model : (run.model ?? undefined);
}

/** Reports whether a tool call or a check ended with an error. */
export function isFailedCall({ kind, value }: StepEnd): boolean {
  return kind === "tool" && readRecordedOutcome(value).isError;
}

/** Returns the content of a step, for traces that contain it. */
export function describeContent(
  step: TracedStep,
  event: StepEnd | undefined,
  write: NonNullable<WriteContent>,
): Attributes {
  const content = step.kind === "model" ? describeRequest(step, event) : describeCall(step, event);
  return Object.fromEntries(Object.entries(content).map(([name, value]) => [name, write(value)]));
}

function describeRequest(step: TracedStep, event: StepEnd | undefined): Record<string, unknown> {
  const asked = "prompt" in step && step.prompt !== undefined ? describePrompt(step.prompt) : {};
  const { parts, finish = "stop" } = readReply(event?.value);
  return { ...asked, ...(parts !== undefined && describeReply(parts, finish)) };
}

function describeCall(step: TracedStep, event: StepEnd | undefined): Record<string, unknown> {
  const input = "call" in step ? step.call?.input : undefined;
  const { text } = (isRecord(event?.value) ? event.value : {}) as Partial<ToolOutcome>;
  return {
    ...(input !== undefined && {
      "gen_ai.tool.call.arguments": shortenContent(JSON.stringify(input)),
    }),
    ...(typeof text === "string" && { "gen_ai.tool.call.result": shortenContent(text) }),
  };
}

/** Reads a value that this process recorded. The value of a runner or a check has fewer fields. */
function readReply(value: unknown): Partial<RecordedReply> {
  return isRecord(value) ? value : {};
}
