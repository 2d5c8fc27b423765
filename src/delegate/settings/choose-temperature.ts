import { agentKindOf } from "../../agent/definition/agent-kind.ts";
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
  const { fileNoun, inheritsTemperature } = agentKindOf(definition.source);
  if (temperature !== undefined) return { temperature, from: "the call" };
  if (definition.temperature !== undefined) {
    return { temperature: definition.temperature, from: `the ${fileNoun}` };
  }
  const inherited =
    origin?.spec.model === model && inheritsTemperature ? origin?.spec.temperature : null;
  return inherited === null || inherited === undefined
    ? { temperature: null, from: "the provider" }
    : { temperature: inherited, from: "the parent" };
}
