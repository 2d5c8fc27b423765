/** The models that a program names or passes as objects. */

import type { ModelObject } from "./model-object.ts";
import { referenceOf } from "./model-reference.ts";

/** The model of a run or an agent, and its fallbacks. */
export interface GivenModels {
  model?: string | ModelObject | undefined;
  fallbacks?: readonly (string | ModelObject)[] | undefined;
}

/** Returns the models with each object replaced by its reference. Absent fields stay absent. */
export function nameGivenModels({ model, fallbacks }: GivenModels): {
  model?: string;
  fallbacks?: string[];
} {
  return {
    ...(model !== undefined && { model: nameOf(model) }),
    ...(fallbacks !== undefined && { fallbacks: fallbacks.map(nameOf) }),
  };
}

/** Returns the models that are objects. */
export function givenObjects({ model, fallbacks = [] }: GivenModels): ModelObject[] {
  return [model, ...fallbacks].filter((one) => typeof one === "object");
}

function nameOf(model: string | ModelObject): string {
  return typeof model === "string" ? model : referenceOf(model);
}
