// The models of a project: their providers, keys and addresses, and the default model.

import { resolve as resolvePath } from "node:path";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { CadreError } from "../../errors.ts";
import { findDefault } from "./default-model.ts";
import type { RecordedModelOptions } from "../record/recorded-model.ts";
import { createKeepAliveFetch } from "../transport/keep-alive-fetch.ts";
import { accessOf, withAccess } from "../request/model-access.ts";
import {
  hostedProviders,
  type ModelReference,
  readReference,
  toReferenceNames,
} from "../model-reference.ts";
import { createGivenModel, type ModelProvider } from "./given-provider.ts";
import type { Model, Price } from "../model.ts";
import { contextSizeOf } from "../context/context-size.ts";
import { priceOf } from "../price/price.ts";
import type { ProcessEnvironment } from "../../source/process-environment.ts";
import {
  createEndpointModel,
  createHostedModel,
  type Endpoint,
  type ProviderModel,
} from "./provider.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The models section of the configuration. */
export interface ModelsConfig {
  /** The model for agents that do not name one. */
  default?: string;
  /** The file whose default model does not apply, because its folder is not trusted. */
  ignoredDefault?: string;
  /** Model references by short name; they take precedence over the built-in aliases. */
  aliases?: Readonly<Record<string, string>>;
  /** OpenAI-compatible servers by name. */
  endpoints?: Readonly<Record<string, Endpoint>>;
  /** Prices by `provider:model` or model id. They take precedence over the built-in table. */
  prices?: Readonly<Record<string, Price>>;
  /** Input tokens by `provider:model` or model id. They take precedence over the endpoint's setting and the built-in table. */
  contextTokens?: Readonly<Record<string, number>>;
}

/** The options of {@link createModels}. */
export interface ModelsOptions {
  environment: ProcessEnvironment;
  config?: ModelsConfig;
  /** Providers of the AI SDK by name. They take precedence over endpoints and built-in providers. */
  providers?: Readonly<Record<string, ModelProvider>>;
  /** The base folder for relative `scripted:`, `record:` and `replay:` paths. Default: the working directory of the process. */
  folder?: string;
  /** The folder of the registry, for the placeholders of recordings; absolute, symlinks resolved. */
  stateFolder?: string;
  /** Sends the requests. Default: a keep-alive transport, which `close` closes. */
  fetch?: typeof globalThis.fetch;
}

/** The models of one project. */
export interface Models {
  /**
   * Returns the model of a reference. The same reference always returns the same object. An id without a provider is resolved
   * with the provider `near`, if given.
   *
   * @throws CadreError `model-unavailable`, which says what to write or which variable to set.
   */
  resolve(reference: string, near?: string): Promise<Model>;
  /**
   * Returns the configured default, else the `sonnet`, `gpt` or `gemini` of the first provider with a key, else the first model
   * of an Ollama server on this machine.
   *
   * @throws CadreError `model-unavailable` when there is none.
   */
  resolveDefault(): Promise<Model>;
  /** Aborts all requests and closes the transport. */
  close(): Promise<void>;
}

/** The settings that the functions below share. */
interface ModelSources {
  options: ModelsOptions;
  config: ModelsConfig;
  endpoints: Readonly<Record<string, Endpoint>>;
  fetch: typeof globalThis.fetch;
}

/** Creates the {@link Models} of a project. Loads and opens nothing before the first model is resolved. */
export function createModels(options: ModelsOptions): Models {
  const { environment, config = {} } = options;
  const transport = createKeepAliveFetch({ environment });
  const ollama: Endpoint = { baseUrl: `${ollamaUrl(environment)}/v1` };
  const sources: ModelSources = {
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
    const created = createModel(reference, sources, near);
    known.set(key, created);
    // A failure is not cached, because the missing key or file may exist before the next call.
    created.catch(() => known.delete(key));
    return created;
  };
  const close = (): Promise<void> => transport.close();
  return {
    resolve,
    async resolveDefault() {
      const server = ollamaUrl(environment);
      return await resolve(
        config.default ??
          (await findDefault(environment, {
            server,
            fetch: sources.fetch,
            ignored: config.ignoredDefault,
          })),
      );
    },
    close,
  };
}

async function createModel(
  reference: string,
  sources: ModelSources,
  near?: string,
): Promise<Model> {
  const { config, endpoints, options } = sources;
  const read = readReference(reference, { ...toReferenceNames(config, options.providers), near });
  if (read.kind !== "hosted") return await createFromFile(read, sources);
  const id = `${read.provider}:${read.model}`;
  const made = await createByProvider(read.provider, read.model, sources);
  const { host, variable, secrets } = made;
  const model: Model = {
    id,
    language: made.language,
    price: priceOf(id, Date.now(), config.prices),
    ...contextSizeOf(id, { ...config, endpoints }),
  };
  return withAccess(model, { host, variable, secrets });
}

async function createByProvider(
  provider: string,
  model: string,
  sources: ModelSources,
): Promise<ProviderModel> {
  const { fetch, endpoints } = sources;
  const { environment, providers = {} } = sources.options;
  const given = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (given !== undefined)
    return await createGivenModel({ provider: given, name: provider, model });
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
  sources: ModelSources,
): Promise<Model> {
  const file = pathOf(reference.file, sources);
  if (reference.kind === "record") {
    const target = await createModel(reference.target, sources);
    // A resumed run resolves its model by this id.
    const id = `record:${reference.file}=${target.id}`;
    return withAccess(
      { ...(await recorded(target, reference.file, sources)), id },
      accessOf(target),
    );
  }
  const id = `${reference.kind}:${reference.file}`;
  const language =
    reference.kind === "scripted"
      ? await (await import("../script/script-file.ts")).readScriptedModel(file)
      : await createRecorded({ file, mode: "replay" }, sources);
  return { id, language, price: free, contextTokens: fileContextTokens };
}

/** Replies from a file are free, whatever their usage. */
const free: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** The usual context size of the models that a file stands in for. */
const fileContextTokens = 200_000;

/** Wraps a model to record its replies in `file`. */
async function recorded(model: Model, file: string, sources: ModelSources): Promise<Model> {
  const access = accessOf(model);
  const options: RecordedModelOptions = {
    file: pathOf(file, sources),
    mode: "record",
    findModel: async () => model.language,
    secrets: () => access.secrets,
  };
  const { provider, modelId, supportedUrls } = model.language;
  const language = {
    ...(await createRecorded(options, sources)),
    provider,
    modelId,
    supportedUrls,
  };
  return withAccess({ ...model, language }, access);
}

async function createRecorded(
  options: RecordedModelOptions,
  { options: { environment, folder = process.cwd(), stateFolder } }: ModelSources,
): Promise<LanguageModelV4> {
  const { createRecordedModel } = await import("../record/recorded-model.ts");
  return await createRecordedModel({
    ...options,
    environment,
    folder,
    ...omitUndefined({ stateFolder }),
  });
}

function pathOf(file: string, sources: ModelSources): string {
  return resolvePath(sources.options.folder ?? process.cwd(), file);
}

/** Returns the URL of the Ollama server from the variable `OLLAMA_HOST`. */
function ollamaUrl(environment: ProcessEnvironment): string {
  const host = (environment["OLLAMA_HOST"] ?? "").trim().replace(/\/+$/, "");
  // 0.0.0.0 is an address for listening, not for connecting.
  const address = host.replace("0.0.0.0", "127.0.0.1");
  if (address === "") return "http://127.0.0.1:11434";
  const withScheme = /^https?:\/\//.test(address) ? address : `http://${address}`;
  return /:\d+$/.test(withScheme) ? withScheme : `${withScheme}:11434`;
}
