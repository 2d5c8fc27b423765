import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Models } from "../model/create-models.ts";
import type { Model } from "../model/model.ts";
import { contextTokensOf, priceOf } from "../model/price.ts";
import type { CadreOptions } from "./cadre.ts";

/** Finds models, the one given in code included. */
export interface ModelResolver {
  resolve(reference: string): Promise<Model>;
  resolveDefault(): Promise<Model>;
}

/** The models of `models`, and `given` as the default where it is a model itself. */
export function createModelResolver(models: Models, given: CadreOptions["model"]): ModelResolver {
  if (given === undefined || typeof given === "string") {
    return {
      resolve: (reference) => models.resolve(reference),
      resolveDefault: () => models.resolveDefault(),
    };
  }
  const model = toModel(given);
  return {
    resolve: async (reference) =>
      reference === model.id ? model : await models.resolve(reference),
    resolveDefault: async () => model,
  };
}

function toModel(language: LanguageModelV4): Model {
  const id = `${language.provider}:${language.modelId}`;
  return { id, language, price: priceOf(id, Date.now()), contextTokens: contextTokensOf(id) };
}
