import type { LanguageModelV4 } from "@ai-sdk/provider";
import { CadreError } from "../errors.ts";
import type { Models } from "../model/create-models.ts";
import type { Model } from "../model/model.ts";
import { contextTokensOf, priceOf } from "../model/price.ts";
import type { CadreOptions } from "./cadre.ts";

/** Finds models, the one given in code included. */
export interface ModelResolver {
  /** See `Models.resolve`. */
  resolve(reference: string, near?: string): Promise<Model>;
  resolveDefault(): Promise<Model>;
}

/** The models of `models`; `model` as the default where it is a model itself, `fallbackModel` where there is no default. */
export function createModelResolver(
  models: Models,
  { model, fallbackModel }: Pick<CadreOptions, "model" | "fallbackModel">,
): ModelResolver {
  const given = model === undefined || typeof model === "string" ? undefined : toModel(model);
  const findFallback = (): Model | undefined => {
    const fallback = fallbackModel?.();
    return fallback && toModel(fallback);
  };
  return {
    resolve: async (reference, near) =>
      [given, findFallback()].find(
        (one) => one?.id === reference || one?.id === `${near}:${reference}`,
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

/** Nobody said which; one that was configured and cannot be had is a mistake to be told of. */
function isNoModel(error: unknown): boolean {
  return error instanceof CadreError && error.details["kind"] === "no-model";
}

function toModel(language: LanguageModelV4): Model {
  const id = `${language.provider}:${language.modelId}`;
  return { id, language, price: priceOf(id, Date.now()), contextTokens: contextTokensOf(id) };
}
