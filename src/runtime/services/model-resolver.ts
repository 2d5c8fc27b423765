import { omitUndefined } from "../../omit-undefined.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { CadreError } from "../../errors.ts";
import type { Models, ModelsConfig } from "../../model/provider/create-models.ts";
import type { Model } from "../../model/model.ts";
import { contextSizeOf } from "../../model/context/context-size.ts";
import { referenceOf } from "../../model/model-reference.ts";
import { completePrice, priceOf } from "../../model/price/price.ts";
import type { ModelObject } from "../../model/model-object.ts";
import { toV4 } from "../../model/provider/given-provider.ts";
import type { CadreOptions } from "../cadre.ts";
import type { ModelObjects } from "./model-objects.ts";

/** Finds models, including the one given in code. */
export interface ModelResolver {
  /** See `Models.resolve`. `family` may have its own models. */
  resolve(reference: string, near?: string, family?: string): Promise<Model>;
  resolveDefault(): Promise<Model>;
}

/** The options for models given as objects. */
type GivenModels = Pick<CadreOptions, "model" | "contextTokens" | "price" | "fallbackModel">;

/**
 * Creates the lookup over `models` and the program's `objects`. If `model` is an object, it is the default; without a default,
 * `fallbackModel` is used.
 */
export function createModelResolver(
  models: Models,
  config: ModelsConfig,
  { model, fallbackModel, ...givenFields }: GivenModels,
  objects: Pick<ModelObjects, "find">,
): ModelResolver {
  const own = model === undefined || typeof model === "string" ? undefined : model;
  const settings =
    own === undefined ? config : { ...config, ...addGiven(own, config, givenFields) };
  const described = new WeakMap<ModelObject, Promise<Model>>();
  const describe = (object: ModelObject): Promise<Model> => {
    const known = described.get(object) ?? describeModel(object, settings);
    described.set(object, known);
    return known;
  };
  const find = (reference: string, family: string | undefined): ModelObject | undefined => {
    const named = [own, fallbackModel?.()].find((one) => isNamed(one, reference));
    return objects.find(reference, family) ?? named;
  };
  return {
    async resolve(reference, near, family) {
      const object = find(reference, family) ?? (near && find(`${near}:${reference}`, family));
      return object ? await describe(object) : await models.resolve(reference, near);
    },
    async resolveDefault() {
      if (own !== undefined) return await describe(own);
      try {
        return await models.resolveDefault();
      } catch (error) {
        const fallback = isNoModel(error) ? fallbackModel?.() : undefined;
        if (fallback === undefined) throw error;
        return await describe(fallback);
      }
    },
  };
}

/** Applies only when no model is named: an unavailable configured model is an error. */
function isNoModel(error: unknown): boolean {
  return error instanceof CadreError && error.details["kind"] === "no-model";
}

/** Journals of earlier versions use the AI SDK's names for models. */
function isNamed(model: ModelObject | undefined, reference: string): boolean {
  if (model === undefined) return false;
  return referenceOf(model) === reference || reference === `${model.provider}:${model.modelId}`;
}

/** Returns the options for the model, in the form of the configuration. */
function addGiven(
  model: ModelObject,
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
async function describeModel(object: ModelObject, config: ModelsConfig): Promise<Model> {
  const language = await toV4(object);
  const id = referenceOf(language);
  const price = priceOf(id, Date.now(), config.prices);
  // The configuration's servers do not have this model.
  const { contextTokens = {} } = config;
  return { id, language, price, ...contextSizeOf(id, { contextTokens }) };
}

/** Returns the part of the configuration about models. */
export function toModelsConfig({
  config: { model, models },
  ignored,
}: Pick<LoadedConfig, "config" | "ignored">): ModelsConfig {
  const prices = Object.entries(models.prices).map(([id, price]) => [id, completePrice(price)]);
  const ignoredDefault = ignored.find(({ key }) => key === "model")?.path;
  const given = omitUndefined({ default: model, ignoredDefault });
  return { ...models, prices: Object.fromEntries(prices), ...given };
}
