import { isRecord } from "../../source/json.ts";
import type { LanguageModelV4, ProviderV3, ProviderV4 } from "@ai-sdk/provider";
import { CadreError } from "../../errors.ts";
import type { ModelObject } from "../model-object.ts";
import type { ProviderModel } from "./provider.ts";
import { errorMessage } from "../../error-message.ts";

/** A provider of the AI SDK, version 3 or 4 of its interface. Cadre uses its language models. */
export type ModelProvider =
  | Pick<ProviderV4, "specificationVersion" | "languageModel">
  | Pick<ProviderV3, "specificationVersion" | "languageModel">;

/** The name of a provider given in code, and the name of a model. */
interface GivenModel {
  provider: ModelProvider;
  name: string;
  model: string;
}

/**
 * Creates a model of a provider given in code.
 *
 * @throws CadreError `model-unavailable` when the provider has no such model.
 */
export async function createGivenModel(given: GivenModel): Promise<ProviderModel> {
  return { language: await findModel(given), host: given.name, variable: null, secrets: [] };
}

async function findModel({ provider, name, model }: GivenModel): Promise<LanguageModelV4> {
  const reference = `${name}:${model}`;
  let found: ReturnType<ModelProvider["languageModel"]> | undefined;
  try {
    found = provider.languageModel(model);
  } catch (error) {
    const message = errorMessage(error);
    throw unavailable(reference, `The provider given to createCadre refused it: ${message}`, error);
  }
  const version: unknown = found?.specificationVersion;
  const members: unknown = found;
  const missing = ["doGenerate", "doStream"].filter(
    (one) => isRecord(members) && typeof members[one] !== "function",
  );
  if (missing.length > 0 && (version === "v3" || version === "v4")) {
    const problem = `The provider given to createCadre returned a model without ${missing.join(" and ")}.`;
    throw unavailable(reference, problem);
  }
  if (version === "v3" || version === "v4") return await toV4(found);
  const came = typeof version === "string" ? `specification ${version}` : "something else";
  const expected = "a language model of specification v3 or v4";
  throw unavailable(
    reference,
    `Expected the provider given to createCadre to return ${expected}; it returned ${came}.`,
  );
}

/** Converts a model to version 4. */
export async function toV4(model: ModelObject): Promise<LanguageModelV4> {
  if (model.specificationVersion === "v4") return model;
  return (await import("./from-v3.ts")).fromV3(model);
}

function unavailable(reference: string, problem: string, cause?: unknown): CadreError {
  const details = { kind: "provider-refused", reference };
  const message = `The model ${reference} is not available. ${problem}`;
  return new CadreError("model-unavailable", message, { details, cause });
}
