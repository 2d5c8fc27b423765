import type { LanguageModelV4 } from "@ai-sdk/provider";
import { CadreError } from "../errors.ts";
import { didYouMean, nearest } from "../source/nearest.ts";

/** A reference that says which model is meant. */
export type ModelReference =
  | { kind: "hosted"; provider: string; model: string }
  | { kind: "scripted"; file: string }
  | { kind: "replay"; file: string }
  | { kind: "record"; file: string; target: string };

/** The providers Cadre knows without configuration, in the order in which a key makes one the default. */
export const hostedProviders = ["anthropic", "openai", "google"] as const;

/** One of {@link hostedProviders}. */
export type HostedProvider = (typeof hostedProviders)[number];

/** Short names of current models. A user's own aliases come before these. */
export const builtInAliases: Readonly<Record<string, string>> = {
  fable: "anthropic:claude-fable-5-2",
  opus: "anthropic:claude-opus-5-5",
  sonnet: "anthropic:claude-sonnet-5-5",
  haiku: "anthropic:claude-haiku-5-5",
  "gpt-pro": "openai:gpt-6-astra",
  gpt: "openai:gpt-6.1-sol",
  "gpt-mini": "openai:gpt-6.1-terra",
  "gpt-nano": "openai:gpt-6-luna",
  gemini: "google:gemini-4-argon",
  "gemini-pro": "google:gemini-4-carbon",
  "gemini-flash": "google:gemini-3.8-flash",
  "gemini-flash-lite": "google:gemini-3.5-flash-lite",
};

/** The alias each hosted provider stands for when none is named. */
export const defaultAliases: Readonly<Record<HostedProvider, string>> = {
  anthropic: "sonnet",
  openai: "gpt",
  google: "gemini",
};

/** Bare ids that say by themselves whose model they are. */
const wellKnown: readonly [RegExp, HostedProvider][] = [
  [/^claude-/, "anthropic"],
  [/^(?:gpt-|o\d|chatgpt-|codex-)/, "openai"],
  [/^gemini-/, "google"],
];

/** What a reference may be resolved against. */
export interface ReferencePlace {
  aliases: Readonly<Record<string, string>>;
  /** The names of the configured endpoints. */
  endpoints: readonly string[];
  /** The provider whose model an id without a provider is, such as that of a parent. Absent = it must say so itself. */
  near?: string | undefined;
}

/** The place that a configuration makes for references; Ollama needs none. */
export function toReferencePlace(config: {
  aliases?: Readonly<Record<string, string>>;
  endpoints?: Readonly<Record<string, unknown>>;
}): ReferencePlace {
  const { aliases = {}, endpoints = {} } = config;
  return { aliases, endpoints: [...new Set(["ollama", ...Object.keys(endpoints)])] };
}

/**
 * Reads `provider:model`, `provider:alias`, an alias, a bare well-known id, `scripted:FILE`, `replay:FILE` or
 * `record:FILE=REFERENCE`; with a provider near, any bare id. Providers are found in any case of their letters.
 *
 * Throws CadreError `model-unavailable` for anything else, with the providers there are and the nearest alias.
 */
export function readReference(reference: string, place: ReferencePlace): ModelReference {
  const text = expandAlias(reference.trim(), place);
  const colon = text.indexOf(":");
  const [prefix, rest] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)];
  if (rest === "") throw unknownReference(reference, place);
  if (prefix === "scripted" || prefix === "replay") return { kind: prefix, file: rest };
  if (prefix === "record") return readRecord(reference, rest);
  const named = findProvider(prefix, place);
  if (named !== undefined) return hosted(named, rest, place);
  const provider = providerOfBareId(text, place);
  if (provider === undefined) throw unknownReference(reference, place);
  return hosted(provider, text, place);
}

/**
 * An endpoint may serve a model of any name. A hosted provider has only its own, whose ids have no colon; what is written almost like an
 * alias is a mistake there.
 */
function providerOfBareId(id: string, place: ReferencePlace): string | undefined {
  const near = place.near === undefined ? undefined : findProvider(place.near, place);
  if (near !== undefined && !isHosted(near)) return near;
  const known = wellKnown.find(([pattern]) => pattern.test(id))?.[1];
  const isMistake = id.includes(":") || nearest(id, aliasNames(place)) !== null;
  return known ?? (isMistake ? undefined : near);
}

function aliasNames({ aliases }: ReferencePlace): string[] {
  return [...new Set([...Object.keys(aliases), ...Object.keys(builtInAliases)])];
}

/**
 * `provider:model` of a model that is given as an object, as a reference names it: `anthropic:claude-sonnet-4-5` where the AI SDK
 * says `anthropic.messages` and `claude-sonnet-4-5`.
 */
export function referenceOf({
  provider,
  modelId,
}: Pick<LanguageModelV4, "provider" | "modelId">): string {
  return `${provider.split(".", 1)[0]}:${modelId.replace(/^models\//, "")}`;
}

function readRecord(reference: string, rest: string): ModelReference {
  const equals = rest.indexOf("=");
  if (equals > 0 && equals < rest.length - 1) {
    return { kind: "record", file: rest.slice(0, equals), target: rest.slice(equals + 1) };
  }
  throw new CadreError(
    "model-unavailable",
    `Expected record:FILE=MODEL, such as record:talk.ndjson=sonnet, got ${JSON.stringify(reference)}.`,
  );
}

/** An alias may stand for another one; a circle ends where it began to repeat. */
function expandAlias(text: string, place: ReferencePlace): string {
  const seen = new Set<string>();
  let current = text;
  for (;;) {
    const next = Object.hasOwn(place.aliases, current)
      ? place.aliases[current]
      : Object.hasOwn(builtInAliases, current)
        ? builtInAliases[current]
        : undefined;
    if (next === undefined || seen.has(current)) return current;
    seen.add(current);
    current = next;
  }
}

/** `anthropic:sonnet` means Anthropic's sonnet; on any other provider `sonnet` is just a model's id. */
function hosted(provider: string, model: string, place: ReferencePlace): ModelReference {
  const target = expandAlias(model, place);
  const isOfProvider = target.startsWith(`${provider}:`);
  return {
    kind: "hosted",
    provider,
    model: isOfProvider ? target.slice(provider.length + 1) : model,
  };
}

/** The provider of that name, else the only one that is written so in other letters: `OpenAI` is `openai`. */
function findProvider(name: string, { endpoints }: ReferencePlace): string | undefined {
  const all: readonly string[] = [...hostedProviders, ...endpoints];
  if (all.includes(name)) return name;
  const alike = all.filter((known) => known.toLowerCase() === name.toLowerCase());
  return alike.length === 1 ? alike[0] : undefined;
}

function isHosted(provider: string): boolean {
  return hostedProviders.some((known) => known === provider);
}

function unknownReference(reference: string, place: ReferencePlace): CadreError {
  const providers = [...hostedProviders, ...place.endpoints].join(", ");
  const aliases = aliasNames(place);
  const guess = didYouMean(reference.slice(reference.indexOf(":") + 1), aliases);
  return new CadreError(
    "model-unavailable",
    `Expected a model as provider:model or an alias, got ${JSON.stringify(reference)}.${guess} ` +
      `Known providers: ${providers}. Aliases: ${aliases.join(", ")}. Other servers are named under models.endpoints in ~/.cadre/config.yaml.`,
    { details: { kind: "unknown-model", reference } },
  );
}
