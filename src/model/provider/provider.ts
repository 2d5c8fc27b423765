import { createDirectChat } from "../chat/direct-chat.ts";
import { interceptFetch } from "../chat/intercepted-fetch.ts";
import type { ProcessEnvironment } from "../../source/process-environment.ts";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { CadreError } from "../../errors.ts";
import type { HostedProvider } from "../model-reference.ts";
import { keyVariable, keyVariables, readApiKey } from "./provider-keys.ts";

/** A configured server with an OpenAI-compatible API. */
export interface Endpoint {
  /** For example `http://127.0.0.1:8000/v1`. */
  baseUrl: string;
  /** The environment variable with its key; absent = no key is needed. */
  apiKeyEnv?: string;
  /** The OpenAI API that the server implements. Default `chat`, which every compatible server has. */
  api?: "chat" | "responses";
  /** The maximum number of input tokens of its models; absent = known by the model's name, else 32,768. */
  contextTokens?: number;
}

/** One model of one provider, and the access to it. */
export interface ProviderModel {
  language: LanguageModelV4;
  host: string;
  variable: string | null;
  secrets: readonly string[];
}

/** The variable with a provider's address, and its default address. */
interface HostedSettings {
  baseVariable: string;
  baseUrl: string;
}

const hosted: Readonly<Record<HostedProvider, HostedSettings>> = {
  anthropic: {
    baseVariable: "ANTHROPIC_BASE_URL",
    baseUrl: "https://api.anthropic.com/v1",
  },
  openai: {
    baseVariable: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
  },
  google: {
    baseVariable: "GOOGLE_GENERATIVE_AI_BASE_URL",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  },
};

/**
 * Creates a model of a hosted provider. Loads the provider's client on the first call.
 *
 * @throws CadreError `model-unavailable` when the key is not set or the base URL is invalid.
 */
export async function createHostedModel(
  provider: HostedProvider,
  model: string,
  resources: { environment: ProcessEnvironment; fetch: typeof globalThis.fetch },
): Promise<ProviderModel> {
  const { environment, fetch } = resources;
  const { baseVariable } = hosted[provider];
  const variable = keyVariable(provider, environment);
  if (variable === null) throw missingKey(`${provider}:${model}`, keyVariables(provider));
  const key = readApiKey(variable, environment);
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
      const intercepted = interceptFetch(fetch);
      const client = createOpenAI({ apiKey: key, baseURL, fetch: intercepted.fetch });
      // OpenAI's own models work best over its Responses API. Other servers behind OpenAI's variables (a gateway, vLLM, LM
      // Studio) reliably implement only chat/completions. Users configure other servers as an endpoint with `api: responses`.
      const language = speaksResponses(custom)
        ? client(model)
        : createDirectChat(client.chat(model), intercepted);
      return { ...access, language };
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return { ...access, language: createGoogle({ apiKey: key, baseURL, fetch })(model) };
    }
  }
}

/**
 * Creates a model of the configured endpoint `name`.
 *
 * @throws CadreError `model-unavailable` when the variable of its key is not set or its address is invalid.
 */
export async function createEndpointModel(
  name: string,
  model: string,
  resources: {
    endpoint: Endpoint;
    environment: ProcessEnvironment;
    fetch: typeof globalThis.fetch;
  },
): Promise<ProviderModel> {
  const { endpoint, environment, fetch } = resources;
  const variable = endpoint.apiKeyEnv ?? null;
  const key = variable === null ? "" : readApiKey(variable, environment);
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
  const intercepted = interceptFetch(fetch);
  const client = createOpenAICompatible({
    name,
    baseURL,
    fetch: intercepted.fetch,
    includeUsage: true,
    ...(key !== "" && { apiKey: key }),
  });
  return { ...access, language: createDirectChat(client.chatModel(model), intercepted) };
}

function speaksResponses(customBaseUrl: string): boolean {
  return customBaseUrl === "" || hostOf(customBaseUrl, "OPENAI_BASE_URL").endsWith("openai.com");
}

function baseUrlOf(provider: HostedProvider, custom: string): string {
  if (custom === "") return hosted[provider].baseUrl;
  const url = withoutSlash(custom);
  // Anthropic's own tools expect the address without /v1, and the client used here expects it with /v1. Users set either.
  return provider === "anthropic" && !url.endsWith("/v1") ? `${url}/v1` : url;
}

function withoutSlash(url: string): string {
  return url.trim().replace(/\/+$/, "");
}

function hostOf(url: string, setting: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol === "https:" || parsed?.protocol === "http:") return parsed.host;
  // The value is hidden, because it may contain a password.
  throw new CadreError(
    "model-unavailable",
    `Expected a URL that starts with http:// or https:// in ${setting}, got something else. Correct it.`,
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
