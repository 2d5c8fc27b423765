import type { LanguageModelV4 } from "@ai-sdk/provider";
import { CadreError } from "../errors.ts";
import type { HostedProvider } from "./model-reference.ts";

/** A server that speaks a protocol Cadre knows, as configured by the user. */
export interface Endpoint {
  /** Such as `http://127.0.0.1:8000/v1`. */
  baseUrl: string;
  /** The environment variable that holds its key; absent = it needs none. */
  apiKeyEnv?: string;
  /** OpenAI's protocol it speaks. Default `chat`, which every compatible server does. */
  api?: "chat" | "responses";
  /** Input tokens its models take; absent = known by the model's name, else 32,768. */
  contextTokens?: number;
}

/** The variables of a process's environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One model of one provider, and how it is reached. */
export interface ProviderModel {
  language: LanguageModelV4;
  host: string;
  variable: string | null;
  secrets: readonly string[];
}

/** Where to find a provider's key and address. */
interface HostedSettings {
  /** Any of these holds the key; the first that is set counts. */
  keys: readonly string[];
  baseVariable: string;
  baseUrl: string;
}

const hosted: Readonly<Record<HostedProvider, HostedSettings>> = {
  anthropic: {
    keys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    baseVariable: "ANTHROPIC_BASE_URL",
    baseUrl: "https://api.anthropic.com/v1",
  },
  openai: {
    keys: ["OPENAI_API_KEY"],
    baseVariable: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
  },
  google: {
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    baseVariable: "GOOGLE_GENERATIVE_AI_BASE_URL",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  },
};

/** The variable that holds `provider`'s key in `environment`, or `null` when none is set. */
export function keyVariable(provider: HostedProvider, environment: Environment): string | null {
  return hosted[provider].keys.find((name) => (environment[name] ?? "").trim() !== "") ?? null;
}

/** The variables one of which must be set to use `provider`; the first is the usual one. */
export function keyVariables(provider: HostedProvider): readonly string[] {
  return hosted[provider].keys;
}

/**
 * Makes a model of a provider that Cadre knows. Its client is loaded now and not with Cadre.
 *
 * Throws CadreError `model-unavailable` when its key is not set or its base URL is not one.
 */
export async function createHostedModel(
  provider: HostedProvider,
  model: string,
  place: { environment: Environment; fetch: typeof globalThis.fetch },
): Promise<ProviderModel> {
  const { environment, fetch } = place;
  const { keys, baseVariable } = hosted[provider];
  const variable = keyVariable(provider, environment);
  if (variable === null) throw missingKey(`${provider}:${model}`, keys);
  const key = (environment[variable] ?? "").trim();
  const custom = (environment[baseVariable] ?? "").trim();
  const baseURL = baseUrlOf(provider, custom);
  const access = { host: hostOf(baseURL, baseVariable), variable, secrets: [key] };
  switch (provider) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const credential = variable === "ANTHROPIC_AUTH_TOKEN" ? { authToken: key } : { apiKey: key };
      return { ...access, language: createAnthropic({ ...credential, baseURL, fetch })(model) };
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const client = createOpenAI({ apiKey: key, baseURL, fetch });
      // OpenAI itself answers best over its Responses API. A server of somebody else that takes OpenAI's variables
      // (a gateway, vLLM, LM Studio) is only sure to speak chat/completions; an endpoint with `api: responses` says more.
      return { ...access, language: speaksResponses(custom) ? client(model) : client.chat(model) };
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return { ...access, language: createGoogle({ apiKey: key, baseURL, fetch })(model) };
    }
  }
}

/**
 * Makes a model of the endpoint that is named `name` in the configuration.
 *
 * Throws CadreError `model-unavailable` when its key's variable is not set or its address is not one.
 */
export async function createEndpointModel(
  name: string,
  model: string,
  place: { endpoint: Endpoint; environment: Environment; fetch: typeof globalThis.fetch },
): Promise<ProviderModel> {
  const { endpoint, environment, fetch } = place;
  const variable = endpoint.apiKeyEnv ?? null;
  const key = variable === null ? "" : (environment[variable] ?? "").trim();
  if (variable !== null && key === "") throw missingKey(`${name}:${model}`, [variable]);
  const baseURL = withoutSlash(endpoint.baseUrl);
  const host = hostOf(baseURL, `models.endpoints.${name}.baseUrl`);
  const access = { host, variable, secrets: key === "" ? [] : [key] };
  if (endpoint.api === "responses") {
    const { createOpenAI } = await import("@ai-sdk/openai");
    const client = createOpenAI({ apiKey: key === "" ? "none" : key, baseURL, fetch });
    return { ...access, language: client.responses(model) };
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const client = createOpenAICompatible({
    name,
    baseURL,
    fetch,
    includeUsage: true,
    ...(key !== "" && { apiKey: key }),
  });
  return { ...access, language: client.chatModel(model) };
}

function speaksResponses(customBaseUrl: string): boolean {
  return customBaseUrl === "" || hostOf(customBaseUrl, "OPENAI_BASE_URL").endsWith("openai.com");
}

function baseUrlOf(provider: HostedProvider, custom: string): string {
  if (custom === "") return hosted[provider].baseUrl;
  const url = withoutSlash(custom);
  // Anthropic's own tools expect the address without /v1, the client used here with it: people set both.
  return provider === "anthropic" && !url.endsWith("/v1") ? `${url}/v1` : url;
}

function withoutSlash(url: string): string {
  return url.trim().replace(/\/+$/, "");
}

function hostOf(url: string, setting: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol === "https:" || parsed?.protocol === "http:") return parsed.host;
  // The value is not shown: it may hold a password.
  throw new CadreError(
    "model-unavailable",
    `Expected an address that starts with http:// or https:// in ${setting}, got something else. Correct it.`,
    { details: { kind: "bad-base-url", setting } },
  );
}

function missingKey(reference: string, variables: readonly string[]): CadreError {
  return new CadreError(
    "model-unavailable",
    `${reference} needs a key: set ${variables.join(" or ")}, or use another model.`,
    { details: { kind: "no-key", variables } },
  );
}
