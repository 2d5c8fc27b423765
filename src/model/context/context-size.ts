// Context sizes of models, in tokens.

import { hostedProviders, type HostedProvider } from "../model-reference.ts";
import type { Model } from "../model.ts";

/** The maximum number of input tokens of a model, and whether the number is an assumption. */
export type ContextSize = Pick<Model, "contextTokens" | "isContextAssumed">;

/** The part of the configuration about context sizes, in tokens. */
export interface ContextSettings {
  /** Sizes by `provider:model` or the bare model id. */
  contextTokens?: Readonly<Record<string, number>>;
  /** Servers by provider name, with the context size of all their models. */
  endpoints?: Readonly<Record<string, { contextTokens?: number }>>;
}

/** Sizes by model name, on any server. The first match is used. */
const byName: readonly [RegExp, number][] = [
  [/^claude-(?:fable|opus-4[.-][6-9]|sonnet-4[.-]6|(?:opus|sonnet|haiku)-5)/, 1_000_000],
  [/^claude-/, 200_000],
  [/^gpt-(?:5\.[4-9]|[6-9])/, 922_000],
  [/^gpt-5/, 272_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-4o/, 128_000],
  [/^o\d(?:-|$)/, 200_000],
  [/^gemini-/, 1_048_576],
];

/** Assumed sizes of a provider's other models. */
const byProvider: Readonly<Record<HostedProvider | "host", number>> = {
  anthropic: 200_000,
  openai: 128_000,
  google: 1_048_576,
  host: 128_000,
};

/**
 * The size assumed for unknown models. It is small, because many servers silently drop the beginning of a longer
 * conversation.
 */
const smallest = 32_768;

/** The size of a model read from a file, which has no limit. */
const fileSize = 1_000_000;

/**
 * Returns the context size of `provider:model`: the model's configured size, else its server's, else the known size for the
 * model's name, else an assumption.
 */
export function contextSizeOf(
  id: string,
  { contextTokens: configured = {}, endpoints = {} }: ContextSettings = {},
): ContextSize {
  const [provider, model] = [id.slice(0, id.indexOf(":")), id.slice(id.indexOf(":") + 1)];
  // Ids come from definitions. An id such as `constructor` must not match an inherited property.
  const given = [id, model].find((key) => Object.hasOwn(configured, key));
  const server = Object.hasOwn(endpoints, provider) ? endpoints[provider] : undefined;
  const size = given === undefined ? server?.contextTokens : configured[given];
  if (size !== undefined) return { contextTokens: size };
  if (provider === "scripted" || provider === "replay") return { contextTokens: fileSize };
  const name = nameIn(model);
  const known = byName.find(([pattern]) => pattern.test(name))?.[1];
  if (known !== undefined) return { contextTokens: known };
  return { contextTokens: assumedFor(provider), isContextAssumed: true };
}

/** Returns the model's own name in an id that also names its server, such as `us.anthropic.claude-sonnet-4-5-v1:0`. */
function nameIn(model: string): string {
  return /(?:^|[/.])((?:claude|gpt|gemini|o\d)(?:-[^/]*)?)$/.exec(model)?.[1] ?? model;
}

function assumedFor(provider: string): number {
  const known = [...hostedProviders, "host" as const].find((name) => name === provider);
  return known === undefined ? smallest : byProvider[known];
}
