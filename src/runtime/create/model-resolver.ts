import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Config } from "../../config/config.ts";
import { CadreError } from "../../errors.ts";
import type { Models, ModelsConfig } from "../../model/provider/create-models.ts";
import type { Model } from "../../model/model.ts";
import { contextSizeOf } from "../../model/context/context-size.ts";
import { referenceOf } from "../../model/model-reference.ts";
import { completePrice, priceOf } from "../../model/price/price.ts";
import type { CadreOptions } from "../cadre.ts";

/** Finds models, including the one given in code. */
export interface ModelResolver {
  /** See `Models.resolve`. */
  resolve(reference: string, near?: string): Promise<Model>;
  resolveDefault(): Promise<Model>;
}

/** The options about models given as objects. */
type GivenModels = Pick<CadreOptions, "model" | "contextTokens" | "price" | "fallbackModel">;

/**
 * Creates the lookup over `models`, with `model` as the default if it is an object, and `fallbackModel` if there is no default.
 */
export function createModelResolver(
  models: Models,
  config: ModelsConfig,
  { model, fallbackModel, ...told }: GivenModels,
): ModelResolver {
  const given =
    model === undefined || typeof model === "string"
      ? undefined
      : describeModel(model, { ...config, ...tellOf(model, config, told) });
  const findFallback = (): Model | undefined => {
    const fallback = fallbackModel?.();
    return fallback && describeModel(fallback, config);
  };
  return {
    resolve: async (reference, near) =>
      [given, findFallback()].find(
        (one) => isNamed(one, reference) || one?.id === `${near}:${reference}`,
      ) ?? (await models.resolve(reference, near)),
    async resolveDefault() {
      if (given !== undefined) return given;
      try {
        return await models.resolveDefault();
      } catch (error) {
        const fallback = isNoModel(error) ? findFallback() : undefined;
        if (fallback === undefined) throw error;
        return fallback;
      }
    },
  };
}

/** Only when no model is named: an unavailable configured model is an error. */
function isNoModel(error: unknown): boolean {
  return error instanceof CadreError && error.details["kind"] === "no-model";
}

/** Journals of earlier versions use the AI SDK's names for models. */
function isNamed(model: Model | undefined, reference: string): boolean {
  if (model === undefined) return false;
  const { provider, modelId } = model.language;
  return model.id === reference || reference === `${provider}:${modelId}`;
}

/** The options about the model, in the form of the configuration. */
function tellOf(
  model: LanguageModelV4,
  { prices, contextTokens: sizes }: ModelsConfig,
  { price, contextTokens }: Pick<GivenModels, "price" | "contextTokens">,
): ModelsConfig {
  const id = referenceOf(model);
  return {
    ...(price !== undefined && { prices: { ...prices, [id]: completePrice(price) } }),
    ...(contextTokens !== undefined && { contextTokens: { ...sizes, [id]: contextTokens } }),
  };
}

/** Completes a model given as an object with the known data of its id. */
function describeModel(language: LanguageModelV4, config: ModelsConfig): Model {
  const id = referenceOf(language);
  const price = priceOf(id, Date.now(), config.prices);
  return { id, language, price, ...contextSizeOf(id, config.contextTokens) };
}

/** Returns the part of the configuration about models. */
export function toModelsConfig({ model, models }: Config): ModelsConfig {
  const prices = Object.entries(models.prices).map(([id, price]) => [id, completePrice(price)]);
  const given: ModelsConfig = { ...models, prices: Object.fromEntries(prices) };
  return model === undefined ? given : { ...given, default: model };
}
