import { builtInAliases, hostedProviders } from "../model-reference.ts";
import { keyVariable } from "./provider-keys.ts";

/** A model by its short name. */
export interface OfferedModel {
  alias: string;
  /** `provider:model`, or another alias. */
  model: string;
}

/** Returns the models to offer for a choice: the configured aliases, and the built-in ones whose provider has a key. */
export function offerModels(
  aliases: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>>,
): OfferedModel[] {
  const withKey = hostedProviders.filter((name) => keyVariable(name, environment) !== null);
  const builtIn = Object.entries(builtInAliases).filter(
    ([alias, model]) =>
      !Object.hasOwn(aliases, alias) && withKey.some((name) => model.startsWith(`${name}:`)),
  );
  return [...Object.entries(aliases), ...builtIn].map(([alias, model]) => ({ alias, model }));
}
