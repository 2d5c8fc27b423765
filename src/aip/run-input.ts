import type { JsonObject, JsonValue } from "../source/json.ts";
import { type AipOptions, chooseAipModel, mergeAipOptions } from "./document/aip-options.ts";
import type { AipAnswer } from "./location/aip-port.ts";
import { type AipSession, runStage, stageKey } from "./aip-session.ts";
import { renderPrompts } from "./render-prompts.ts";
import { omitUndefined } from "../omit-undefined.ts";

/** The initial values of an input. */
export interface AipTask {
  input: JsonValue;
  /** 0-based. */
  index: number;
  beforeAll: JsonValue;
  options: AipOptions;
}

/** Processes one input: Data, prompts, model, Output. Returns the output; `null` when it was skipped. */
export async function runInput(session: AipSession, task: AipTask): Promise<JsonValue> {
  const prepared = await prepare(session, task);
  if (prepared === null) return null;
  const { input, data, options, attachments } = prepared;
  const scope = { input, data, before_all: task.beforeAll };
  const prompts = await renderPrompts(session, scope, attachments, task.index);
  const hasText = prompts.system !== "" || prompts.messages.length > 0;
  const chosen = chooseAipModel(options);
  const answer = hasText
    ? await session.port.ask(
        {
          ...prompts,
          model: chosen?.model,
          temperature: options.temperature,
          topP: options.top_p,
          effort: chosen?.effort,
          input: task.index,
        },
        stageKey(session, "ask", task.index),
      )
    : undefined;
  session.signal.throwIfAborted();
  if (session.aip.scripts.output === undefined) return answer?.text ?? null;
  const response = answer === undefined ? undefined : describeAnswer(answer);
  const variables = { ...scope, options, ai_response: response };
  const flow = await runStage(session, "output", variables, task.index);
  if (flow.kind === "value") return flow.value;
  if (flow.kind === "skip") reportSkip(session, flow.reason, task.index);
  return null;
}

interface Prepared {
  input: JsonValue;
  data: JsonValue;
  options: AipOptions;
  attachments: JsonValue;
}

async function prepare(session: AipSession, task: AipTask): Promise<Prepared | null> {
  const { input, index, beforeAll, options } = task;
  const variables = { input, before_all: beforeAll, options };
  const flow = await runStage(session, "data", variables, index);
  if (flow.kind === "value") return { input, data: flow.value, options, attachments: null };
  if (flow.kind === "response") {
    const { fields } = flow;
    return {
      input: fields["input"] ?? input,
      data: fields["data"] ?? null,
      options: mergeAipOptions(options, flow.options),
      attachments: fields["attachments"] ?? null,
    };
  }
  if (flow.kind === "skip") reportSkip(session, flow.reason, index);
  return null;
}

/** Reports a skipped input or run. */
export function reportSkip({ port }: AipSession, reason: string, input?: number): void {
  port.report({ type: "skip", reason, ...omitUndefined({ input }) });
}

/** Returns `ai_response` for scripts. */
function describeAnswer(answer: AipAnswer): JsonObject {
  const { text, reasoning, model, provider, usage, cost, durationMs } = answer;
  const seconds = Math.round(durationMs) / 1000;
  const parts = [
    `Duration: ${seconds}s`,
    ...(cost === null ? [] : [`~$${Number(cost.toFixed(6))}`]),
    `Prompt Tokens: ${usage.inputTokens.toLocaleString("en-US")}`,
    `Completion Tokens: ${usage.outputTokens.toLocaleString("en-US")}`,
    `Model: ${model}`,
    `Adapter: ${provider}`,
  ];
  return {
    ...(text !== "" && { content: text }),
    ...omitUndefined({ reasoning_content: reasoning }),
    model_name: model,
    adapter_kind: provider,
    usage: {
      prompt_tokens: usage.inputTokens,
      completion_tokens: usage.outputTokens,
      total_tokens: usage.inputTokens + usage.outputTokens,
    },
    ...(cost !== null && { price_usd: cost }),
    duration_sec: seconds,
    info: parts.join(" | "),
  };
}
