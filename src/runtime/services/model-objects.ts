import { referenceOf } from "../../model/model-reference.ts";
import type { ModelObject } from "../../model/model-object.ts";

/** The models that a program gave as objects, by their references. */
export interface ModelObjects {
  /** Adds a model for all runs; the last one added under a reference is used. Returns the reference. */
  add(model: ModelObject): string;
  /** Sets the models of one family, given in the request of its root. */
  bind(family: string, models: readonly ModelObject[]): void;
  /** Finds a model for a run of `family`, or for all runs. */
  find(reference: string, family?: string): ModelObject | undefined;
}

/** Creates an empty list. */
export function createModelObjects(): ModelObjects {
  const all = new Map<string, ModelObject>();
  const bound = new Map<string, ReadonlyMap<string, ModelObject>>();
  return {
    add(model) {
      const reference = referenceOf(model);
      all.set(reference, model);
      return reference;
    },
    bind(family, models) {
      if (models.length === 0) bound.delete(family);
      else bound.set(family, new Map(models.map((model) => [referenceOf(model), model])));
    },
    find: (reference, family) =>
      (family === undefined ? undefined : bound.get(family)?.get(reference)) ?? all.get(reference),
  };
}
