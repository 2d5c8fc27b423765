import type { ChosenModel } from "./choose-model.ts";
import type { Assignment, Origin } from "../assignment.ts";

/** A temperature and its origin. */
export interface ChosenTemperature {
  temperature: number | null;
  from: string;
}

/**
 * Chooses the requested temperature, otherwise the definition's. A recipe or an ad hoc agent with its parent's model inherits the
 * parent's temperature, as in goose.
 */
export function chooseTemperature(
  { definition, temperature }: Assignment,
  { model }: ChosenModel,
  origin: Origin | undefined,
): ChosenTemperature {
  const { source } = definition;
  if (temperature !== undefined) return { temperature, from: "the call" };
  if (definition.temperature !== undefined) {
    const from = source.format === "recipe" ? "the recipe" : "the definition";
    return { temperature: definition.temperature, from };
  }
  const isLikeParent = source.format === "recipe" || source.format === "builtin";
  const inherited = origin?.spec.model === model && isLikeParent ? origin?.spec.temperature : null;
  return inherited === null || inherited === undefined
    ? { temperature: null, from: "the provider" }
    : { temperature: inherited, from: "the parent" };
}
