import type { ChosenModel } from "./choose-model.ts";
import type { Assignment, Origin } from "./delegation.ts";

/** A temperature, and where it came from, for people. */
export interface ChosenTemperature {
  temperature: number | null;
  from: string;
}

/**
 * The temperature asked for, or the definition's. A recipe or an ad hoc agent that has its parent's model has its parent's
 * temperature with it: goose's sub-agents are asked as whoever delegates is.
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
