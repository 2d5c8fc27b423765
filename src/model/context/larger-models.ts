import {
  builtInAliases,
  defaultAliases,
  type HostedProvider,
  hostedProviders,
} from "../model-reference.ts";
import { contextSizeOf } from "./context-size.ts";

/** A model whose context is large enough for a request. */
export interface LargerModel {
  /** `provider:model`. */
  id: string;
  contextTokens: number;
}

/** A factor for the error of the estimate and for the answer. */
const headroom = 1.1;

/** Returns for each provider the current model that accepts `tokens`, if any. The provider of `id` comes first. */
export function findLargerModels(tokens: number, id: string): LargerModel[] {
  const isOwn = (provider: HostedProvider): boolean => id.startsWith(`${provider}:`);
  const providers = hostedProviders.toSorted(
    (one, other) => Number(isOwn(other)) - Number(isOwn(one)),
  );
  return providers.flatMap((provider) => {
    const usual = builtInAliases[defaultAliases[provider]] ?? "";
    const models = [usual, ...Object.values(builtInAliases)]
      .filter((model) => model.startsWith(`${provider}:`))
      .map((model) => ({ id: model, contextTokens: contextSizeOf(model).contextTokens }));
    return models.find(({ contextTokens }) => contextTokens >= tokens * headroom) ?? [];
  });
}
