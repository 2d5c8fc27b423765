import type { ModelObject } from "./model-object.ts";
import { CadreError } from "../errors.ts";
import { didYouMean, nearest } from "../source/nearest.ts";

/** A parsed reference to a model. */
export type ModelReference =
  | { kind: "hosted"; provider: string; model: string }
  | { kind: "scripted"; file: string }
  | { kind: "replay"; file: string }
  | { kind: "record"; file: string; target: string };

/** The providers that Cadre knows without configuration. The first one with a key is the default. */
export const hostedProviders = ["anthropic", "openai", "google"] as const;

/** One of {@link hostedProviders}. */
export type HostedProvider = (typeof hostedProviders)[number];

/** Short names of current models. A user's own aliases take precedence. */
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

/** The alias of each hosted provider's default model. */
export const defaultAliases: Readonly<Record<HostedProvider, string>> = {
  anthropic: "sonnet",
  openai: "gpt",
  google: "gemini",
};

/** Patterns of bare ids, and their providers. */
const wellKnown: readonly [RegExp, HostedProvider][] = [
  [/^claude-/, "anthropic"],
  [/^(?:gpt-|o\d|chatgpt-|codex-)/, "openai"],
  [/^gemini-/, "google"],
];

/** The names used to resolve a reference. */
export interface ReferenceNames {
  aliases: Readonly<Record<string, string>>;
  /** The names of configured endpoints and of providers given in code. */
  endpoints: readonly string[];
  /** The provider for ids without one, such as the provider of the parent's model. Absent = an id must name its provider. */
  near?: string | undefined;
}

/** Builds the names from a configuration and providers given in code. The endpoint `ollama` always exists. */
export function toReferenceNames(
  config: {
    aliases?: Readonly<Record<string, string>>;
    endpoints?: Readonly<Record<string, unknown>>;
  },
  providers: Readonly<Record<string, unknown>> = {},
): ReferenceNames {
  const { aliases = {}, endpoints = {} } = config;
  const names = new Set(["ollama", ...Object.keys(endpoints), ...Object.keys(providers)]);
  for (const name of hostedProviders) names.delete(name);
  return { aliases, endpoints: [...names] };
}

/**
 * Reads `provider:model`, `provider:alias`, an alias, a bare well-known id, `scripted:FILE`, `replay:FILE` or
 * `record:FILE=REFERENCE`, and any bare id where `names.near` is set. Provider names are case-insensitive.
 *
 * @throws CadreError `model-unavailable` for anything else, with the known providers and the nearest alias.
 */
export function readReference(reference: string, names: ReferenceNames): ModelReference {
  const text = expandAlias(reference.trim(), names);
  const colon = text.indexOf(":");
  const [prefix, rest] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)];
  if (rest === "") throw unknownReference(reference, names);
  if (prefix === "scripted" || prefix === "replay") return { kind: prefix, file: rest };
  if (prefix === "record") return readRecord(reference, rest);
  const named = findProvider(prefix, names);
  if (named !== undefined) return hosted(named, rest, names);
  const provider = providerOfBareId(text, names);
  if (provider === undefined) throw unknownReference(reference, names);
  return hosted(provider, text, names);
}

/**
 * Checks that a reference names a known provider's model. Does not check its key or the model itself.
 *
 * @throws CadreError `model-unavailable` with the known providers and the nearest alias.
 */
export function checkReference(
  reference: string,
  config: Parameters<typeof toReferenceNames>[0],
): void {
  readReference(reference, toReferenceNames(config));
}

/**
 * Returns the provider of an id without one. An endpoint may serve models with any name. A hosted provider serves only its own
 * models, whose ids have no colon; an id there that resembles an alias counts as a typo.
 */
function providerOfBareId(id: string, names: ReferenceNames): string | undefined {
  const near = names.near === undefined ? undefined : findProvider(names.near, names);
  if (near !== undefined && !isHosted(near)) return near;
  const known = wellKnown.find(([pattern]) => pattern.test(id))?.[1];
  const isMistake = id.includes(":") || nearest(id, aliasNames(names)) !== null;
  return known ?? (isMistake ? undefined : near);
}

function aliasNames({ aliases }: ReferenceNames): string[] {
  return [...new Set([...Object.keys(aliases), ...Object.keys(builtInAliases)])];
}

/**
 * Returns the reference `provider:model` of a model object: `anthropic:claude-sonnet-4-5` for the AI SDK's provider
 * `anthropic.messages` and model `claude-sonnet-4-5`.
 */
export function referenceOf({
  provider,
  modelId,
}: Pick<ModelObject, "provider" | "modelId">): string {
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

/** Follows aliases of aliases; a cycle ends at its first repetition. */
function expandAlias(text: string, names: ReferenceNames): string {
  const seen = new Set<string>();
  let current = text;
  for (;;) {
    const next = Object.hasOwn(names.aliases, current)
      ? names.aliases[current]
      : Object.hasOwn(builtInAliases, current)
        ? builtInAliases[current]
        : undefined;
    if (next === undefined || seen.has(current)) return current;
    seen.add(current);
    current = next;
  }
}

/** `anthropic:sonnet` means Anthropic's alias; with any other provider `sonnet` is a model id. */
function hosted(provider: string, model: string, names: ReferenceNames): ModelReference {
  const target = expandAlias(model, names);
  const isOfProvider = target.startsWith(`${provider}:`);
  return {
    kind: "hosted",
    provider,
    model: isOfProvider ? target.slice(provider.length + 1) : model,
  };
}

/** Finds the provider by its exact name, otherwise by its case-insensitive name if only one matches: `OpenAI` is `openai`. */
function findProvider(name: string, { endpoints }: ReferenceNames): string | undefined {
  const all: readonly string[] = [...hostedProviders, ...endpoints];
  if (all.includes(name)) return name;
  const alike = all.filter((known) => known.toLowerCase() === name.toLowerCase());
  return alike.length === 1 ? alike[0] : undefined;
}

function isHosted(provider: string): boolean {
  return hostedProviders.some((known) => known === provider);
}

/** Suggests a reference with the nearest provider, or else the nearest alias. */
function guessReference(
  reference: string,
  providers: readonly string[],
  aliases: readonly string[],
): string {
  const [provider = "", ...model] = reference.split(":");
  const meant = model.length === 0 ? null : nearest(provider, providers);
  return meant === null
    ? didYouMean(reference.slice(reference.indexOf(":") + 1), aliases)
    : ` Did you mean \`${[meant, ...model].join(":")}\`?`;
}

function unknownReference(reference: string, names: ReferenceNames): CadreError {
  const providers = [...hostedProviders, ...names.endpoints].join(", ");
  const aliases = aliasNames(names);
  const guess = guessReference(reference, [...hostedProviders, ...names.endpoints], aliases);
  return new CadreError(
    "model-unavailable",
    `Expected a model as provider:model or an alias, got ${JSON.stringify(reference)}.${guess} ` +
      `Known providers: ${providers}. Aliases: ${aliases.join(", ")}. Add other servers under models.endpoints in ~/.cadre/config.yaml.`,
    { details: { kind: "unknown-model", reference } },
  );
}
