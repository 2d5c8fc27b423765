import type { Model } from "./model.ts";

/** How a model is reached: what an error message may say, and what it must never say. */
export interface ModelAccess {
  /** The environment variable its key came from; `null` when it needs none. */
  variable: string | null;
  /** Such as `api.anthropic.com`. */
  host: string;
  /** Keys and tokens that must not appear anywhere. */
  secrets: readonly string[];
}

/** Beside the model and not in it: a model is logged and journaled, a key never. */
const accesses = new WeakMap<Model, ModelAccess>();

/** Remembers how `model` is reached and returns it. */
export function withAccess(model: Model, access: ModelAccess): Model {
  accesses.set(model, access);
  return model;
}

/** How `model` is reached; a model from elsewhere has no secrets that are known. */
export function accessOf(model: Model): ModelAccess {
  return accesses.get(model) ?? { variable: null, host: model.id, secrets: [] };
}

/** `text` with every secret replaced. What is shorter than eight characters is a local server's placeholder. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const real = secrets.filter((secret) => secret.length >= 8);
  return real.reduce((hidden, secret) => hidden.replaceAll(secret, "[key]"), text);
}
