import { resolve as resolvePath } from "node:path";
import { CadreError } from "../errors.ts";
import { findDefault } from "./default-model.ts";
import { createKeepAliveFetch } from "./transport/keep-alive-fetch.ts";
import { accessOf, withAccess } from "./model-access.ts";
import {
  hostedProviders,
  type ModelReference,
  readReference,
  toReferencePlace,
} from "./model-reference.ts";
import type { Model, Price } from "./model.ts";
import { contextSizeOf } from "./context/context-size.ts";
import { priceOf } from "./price.ts";
import {
  createEndpointModel,
  createHostedModel,
  type Endpoint,
  type Environment,
  type ProviderModel,
} from "./provider.ts";

/** The part of the configuration that is about models. */
export interface ModelsConfig {
  /** The model of agents that name none. */
  default?: string;
  /** Short names and what they stand for; they come before the built-in ones. */
  aliases?: Readonly<Record<string, string>>;
  /** OpenAI-compatible servers by name. */
  endpoints?: Readonly<Record<string, Endpoint>>;
  /** By `provider:model` or model id; these come before the built-in table. */
  prices?: Readonly<Record<string, Price>>;
  /** Input tokens by `provider:model` or model id; these come before what an endpoint says and what is known. */
  contextTokens?: Readonly<Record<string, number>>;
}

/** What {@link createModels} is given. */
export interface ModelsOptions {
  environment: Environment;
  config?: ModelsConfig;
  /** What `scripted:`, `record:` and `replay:` files are relative to. Default: the process's working directory. */
  folder?: string;
  /** Sends the requests; default is a keep-alive transport that is made here and closed with `close`. */
  fetch?: typeof globalThis.fetch;
  /** A file that every conversation with a provider is recorded to, as `record:` does for one model. */
  record?: string;
  /** Closes the models when it is aborted. */
  signal?: AbortSignal;
}

/** The models of one project. */
export interface Models {
  /**
   * The model that a reference means; the same object for the same reference. An id without a provider is a model of the
   * provider `near`, where that is given.
   *
   * Throws CadreError `model-unavailable` with what to write or which variable to set.
   */
  resolve(reference: string, near?: string): Promise<Model>;
  /**
   * The configured default, else the sonnet, gpt or gemini of the first provider with a key, else the first model of an
   * Ollama server on this machine. Throws CadreError `model-unavailable` when there is none.
   */
  resolveDefault(): Promise<Model>;
  /** Ends all requests under way. */
  close(): Promise<void>;
}

/** What the functions below share. */
interface Place {
  options: ModelsOptions;
  config: ModelsConfig;
  endpoints: Readonly<Record<string, Endpoint>>;
  fetch: typeof globalThis.fetch;
}

/** Makes the {@link Models} of a project. Nothing is loaded, opened or asked before a model is resolved. */
export function createModels(options: ModelsOptions): Models {
  const { environment, config = {} } = options;
  const transport = createKeepAliveFetch({ environment });
  const ollama: Endpoint = { baseUrl: `${ollamaUrl(environment)}/v1` };
  const place: Place = {
    options,
    config,
    endpoints: { ollama, ...config.endpoints },
    fetch: options.fetch ?? transport.fetch,
  };
  const known = new Map<string, Promise<Model>>();

  const resolve = (reference: string, near?: string): Promise<Model> => {
    const key = JSON.stringify([reference, near]);
    const cached = known.get(key);
    if (cached !== undefined) return cached;
    const created = createModel(reference, place, near);
    known.set(key, created);
    // A missing key may be set and a file may be written before the next try.
    created.catch(() => known.delete(key));
    return created;
  };
  const close = (): Promise<void> => transport.close();
  options.signal?.addEventListener("abort", () => void close(), { once: true });
  return {
    resolve,
    async resolveDefault() {
      const server = ollamaUrl(environment);
      return await resolve(config.default ?? (await findDefault(environment, server, place.fetch)));
    },
    close,
  };
}

async function createModel(reference: string, place: Place, near?: string): Promise<Model> {
  const { config, endpoints, options } = place;
  const read = readReference(reference, { ...toReferencePlace(config), near });
  if (read.kind !== "hosted") return await createFromFile(read, place);
  const id = `${read.provider}:${read.model}`;
  const made = await createByProvider(read.provider, read.model, place);
  const { host, variable, secrets } = made;
  const model: Model = {
    id,
    language: made.language,
    price: priceOf(id, Date.now(), config.prices),
    ...contextSizeOf(id, config.contextTokens, endpoints[read.provider]?.contextTokens),
  };
  const reachable = withAccess(model, { host, variable, secrets });
  return options.record === undefined
    ? reachable
    : await recorded(reachable, options.record, place);
}

async function createByProvider(
  provider: string,
  model: string,
  place: Place,
): Promise<ProviderModel> {
  const { fetch, endpoints } = place;
  const { environment } = place.options;
  const endpoint = Object.hasOwn(endpoints, provider) ? endpoints[provider] : undefined;
  if (endpoint !== undefined) {
    return await createEndpointModel(provider, model, { endpoint, environment, fetch });
  }
  const hosted = hostedProviders.find((name) => name === provider);
  if (hosted === undefined) throw new CadreError("model-unavailable", `No provider ${provider}.`);
  return await createHostedModel(hosted, model, { environment, fetch });
}

async function createFromFile(
  reference: Exclude<ModelReference, { kind: "hosted" }>,
  place: Place,
): Promise<Model> {
  const file = pathOf(reference.file, place);
  if (reference.kind === "record") {
    const target = await createModel(reference.target, place);
    // A run keeps the id of its model, and asks for the model by it.
    const id = `record:${reference.file}=${target.id}`;
    return withAccess({ ...(await recorded(target, reference.file, place)), id }, accessOf(target));
  }
  const id = `${reference.kind}:${reference.file}`;
  const language =
    reference.kind === "scripted"
      ? await (await import("./script-file.ts")).readScriptedModel(file)
      : await (await import("./record-replay.ts")).createReplayModel(file);
  return { id, language, price: free, contextTokens: fileContextTokens };
}

/** What comes from a file costs nothing, whatever it says of tokens. */
const free: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Conversations with a file are as long as those with the models it stands in for. */
const fileContextTokens = 200_000;

/** The same model, which also writes down what it answers. */
async function recorded(model: Model, file: string, place: Place): Promise<Model> {
  const { recordingModel } = await import("./record-replay.ts");
  const language = recordingModel(model.language, pathOf(file, place));
  return withAccess({ ...model, language }, accessOf(model));
}

function pathOf(file: string, place: Place): string {
  return resolvePath(place.options.folder ?? process.cwd(), file);
}

/** Where Ollama listens, as its own variable says. */
function ollamaUrl(environment: Environment): string {
  const host = (environment["OLLAMA_HOST"] ?? "").trim().replace(/\/+$/, "");
  // 0.0.0.0 is where a server listens, not where it is reached.
  const address = host.replace("0.0.0.0", "127.0.0.1");
  if (address === "") return "http://127.0.0.1:11434";
  const withScheme = /^https?:\/\//.test(address) ? address : `http://${address}`;
  return /:\d+$/.test(withScheme) ? withScheme : `${withScheme}:11434`;
}
