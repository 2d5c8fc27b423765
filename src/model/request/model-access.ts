import type { Model } from "../model.ts";

/** The access to a model: the names that an error message may show, and the secrets that it must not. */
export interface ModelAccess {
  /** The environment variable that holds the key; `null` when the model needs none. */
  variable: string | null;
  /** For example `api.anthropic.com`. */
  host: string;
  /** Keys and tokens that must never be shown or stored. */
  secrets: readonly string[];
}

/** Kept apart from the model, because models are logged and journaled and keys must not be. */
const accesses = new WeakMap<Model, ModelAccess>();

/** Records the access to `model` and returns `model`. */
export function withAccess(model: Model, access: ModelAccess): Model {
  accesses.set(model, access);
  return model;
}

/** Returns the access to `model`. A model that Cadre did not create has no known secrets. */
export function accessOf(model: Model): ModelAccess {
  return accesses.get(model) ?? { variable: null, host: model.id, secrets: [] };
}

/** Replaces every secret in `text`. Ignores a secret under eight characters, which is probably a local server's placeholder. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const real = secrets.filter((secret) => secret.length >= 8);
  return real.reduce((hidden, secret) => hidden.replaceAll(secret, "[key]"), text);
}
