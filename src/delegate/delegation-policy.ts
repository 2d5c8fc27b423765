import type { Config } from "../config/config.ts";
import { CadreError } from "../errors.ts";
import type { RunSpec } from "../run/run.ts";
import { matchesWildcard } from "../tool/path/wildcard.ts";

/** The policy for delegation. */
export type DelegationPolicy = Config["delegation"];

/** The settings of the profile `strict`, which match goose's. */
const strict = {
  nested: false,
  denyModels: ["google:*", "*gemini*"],
  requireMode: "auto",
} as const;

/** Returns the policy in effect. A profile only adds restrictions. */
export function effectivePolicy(policy: DelegationPolicy): DelegationPolicy {
  if (policy.profile !== "strict") return policy;
  return { ...policy, ...strict, denyModels: [...strict.denyModels, ...policy.denyModels] };
}

/**
 * Requires that `parent` may have a child that uses `model`.
 *
 * @throws CadreError `delegation-denied`, with the name of the setting.
 */
export function checkPolicy(
  { nested, denyModels, requireMode }: DelegationPolicy,
  parent: Pick<RunSpec, "depth" | "model" | "policies">,
  model: string | null,
): void {
  if (!nested && parent.depth > 0) {
    throw denied("Subagents cannot create other subagents", "delegation.nested is false");
  }
  for (const used of [parent.model, model]) {
    const pattern = used === null ? undefined : findDenial(denyModels, used);
    if (pattern === undefined) continue;
    throw denied(`Subagents are not supported with ${used}`, `delegation.denyModels: ${pattern}`);
  }
  const mode = parent.policies.find((policy) => policy.mode !== "auto")?.mode;
  if (requireMode === "auto" && mode !== undefined) {
    const why = `delegation.requireMode is auto, the mode is ${mode}`;
    throw denied("Subagents are only supported in the mode auto", why);
  }
}

/** Removes the fallbacks that a sub-agent may not use, with warnings. */
export function withoutDenied<Chosen extends Pick<RunSpec, "fallbacks" | "warnings">>(
  { denyModels }: Pick<DelegationPolicy, "denyModels">,
  chosen: Chosen,
): Chosen {
  const { fallbacks } = chosen;
  if (fallbacks === undefined) return chosen;
  const isDenied = (model: string): boolean => findDenial(denyModels, model) !== undefined;
  const warnings = fallbacks
    .filter(isDenied)
    .map((model) => `The fallback ${model} was left out: delegation.denyModels denies it.`);
  return {
    ...chosen,
    fallbacks: fallbacks.filter((model) => !isDenied(model)),
    warnings: [...chosen.warnings, ...warnings],
  };
}

/** Returns the pattern that denies a model. */
function findDenial(denyModels: readonly string[], model: string): string | undefined {
  // Recording a model also uses it.
  const plain = model.replace(/^record:[^=]*=/, "");
  return denyModels.find((one) => matchesWildcard(one, plain));
}

function denied(what: string, why: string): CadreError {
  return new CadreError("delegation-denied", `${what} (${why}). Do the task yourself.`);
}
