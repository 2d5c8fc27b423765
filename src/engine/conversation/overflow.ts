import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { findLargerModels } from "../../model/context/larger-models.ts";
import type { Model, ModelTool } from "../../model/model.ts";
import { estimateTokens, estimateToolTokens } from "../../model/request/estimate-tokens.ts";
import type { Failure } from "../../run/failure.ts";
import { RunFailed } from "../run-failed.ts";

/** A request that is too long. */
export interface RequestSize {
  /** The approximate number of its tokens. */
  inputTokens: number;
  prompt: LanguageModelV4Prompt;
  tools: readonly ModelTool[];
}

/** A part of a request, and the advice for when it is too long. */
interface Part {
  name: string;
  tokens: number;
  advice: string;
}

const overflowKind = "context-overflow";

/**
 * Returns the failure of a request that does not fit into the context of `model`. `said` is the provider's message if it refused
 * the request.
 */
export function overflow(model: Model, size: RequestSize, providerMessage?: string): RunFailed {
  const { id, contextTokens } = model;
  const { inputTokens } = size;
  const parts = measureParts(size);
  const tokens = providerMessage === undefined ? inputTokens : Math.max(inputTokens, contextTokens);
  const models = findLargerModels(tokens, id).filter((one) => one.id !== id);
  const message = [
    providerMessage ?? `The request is too long for ${id}.`,
    `It has about ${show(inputTokens)} tokens, and the model takes ${show(contextTokens)}: ${describeParts(parts)}.`,
    ...(providerMessage === undefined
      ? [`Leave out about ${show(inputTokens - contextTokens)} tokens.`]
      : []),
    parts[0]?.advice ?? "",
    describeModels(models),
    ...(model.isContextAssumed === true ? [describeAssumption(contextTokens)] : []),
  ].join(" ");
  const details = {
    kind: overflowKind,
    model: id,
    tokens: inputTokens,
    contextTokens,
    parts: parts.map((part) => ({ name: part.name, tokens: part.tokens })),
    isFirstRequest: size.prompt.every(({ role }) => role === "system" || role === "user"),
    largerModels: models.map((one) => one.id),
  };
  return new RunFailed({ code: "limit-exceeded", message, details });
}

/** Reports whether `error` means that a request is too long for its model. */
export function isOverflow(error: unknown): boolean {
  return error instanceof RunFailed && error.failure.details?.["kind"] === overflowKind;
}

/** Reports whether the first request of a conversation was too long. A new conversation would be too long as well. */
export function isOverflowAtStart({ details }: Failure): boolean {
  return details?.["kind"] === overflowKind && details["isFirstRequest"] === true;
}

/** The non-empty parts of a request, largest first. */
function measureParts({ prompt, tools }: RequestSize): Part[] {
  const [first, ...later] = prompt.filter(({ role }) => role === "user");
  const of = (...roles: readonly string[]): number =>
    estimateTokens(prompt.filter(({ role }) => roles.includes(role)));
  const parts: Part[] = [
    {
      name: "the task",
      tokens: first === undefined ? 0 : estimateTokens([first]),
      advice: "Shorten the task: write long parts to a file, and name the file in the task.",
    },
    {
      name: "the instructions",
      tokens: of("system"),
      advice: "Shorten the instructions of the agent, or preload fewer skills.",
    },
    {
      name: "later messages to it",
      tokens: estimateTokens(later),
      advice: "Send shorter messages.",
    },
    {
      name: "its replies and tool results",
      tokens: of("assistant", "tool"),
      advice: "Give it a smaller task, or let sub-agents do parts of it.",
    },
    {
      name: "the descriptions of its tools",
      tokens: tools.length === 0 ? 0 : estimateToolTokens(tools),
      advice: "Give the agent fewer tools or extensions.",
    },
  ];
  return parts
    .filter(({ tokens }) => tokens > 0)
    .toSorted((one, other) => other.tokens - one.tokens);
}

function describeParts(parts: readonly Part[]): string {
  return parts.map(({ name, tokens }) => `${name} ${show(tokens)}`).join(", ");
}

function describeModels(models: ReturnType<typeof findLargerModels>): string {
  if (models.length === 0) return "No known model takes that much.";
  const list = models.map(({ id, contextTokens }) => `${id} (${show(contextTokens)})`).join(", ");
  return `Models that take it: ${list}.`;
}

function describeAssumption(tokens: number): string {
  return `The model's context size is unknown, and ${show(tokens)} tokens are assumed. Set it under models.contextTokens in the configuration (for a model object: in its option contextTokens).`;
}

function show(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
