import { CadreError } from "../../errors.ts";
import type { RunSpec } from "../../run/run.ts";
import type { AdmissionContext } from "./admission-context.ts";

/**
 * Requires that the program has every model object that the recorded run uses. Another model of the same name may have another
 * address or key.
 *
 * @throws CadreError `model-unavailable` that names those it lacks.
 */
export function checkGivenModels(
  { hasModel }: Pick<AdmissionContext, "hasModel">,
  { id, rootId, givenModels = [] }: Pick<RunSpec, "id" | "rootId" | "givenModels">,
): void {
  const missing = givenModels.filter((reference) => !hasModel(reference, rootId));
  if (missing.length === 0) return;
  const message = `It uses ${missing.join(", ")}, given as an object by the program that started it, which this process does not have. Continue it in a program that gives the model to createCadre({ models }).`;
  throw new CadreError("model-unavailable", message, { details: { models: missing, runId: id } });
}
