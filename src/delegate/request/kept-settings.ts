import { type AgentDefinition, defaultMaxTurns } from "../../agent/definition/agent.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { PermissionPolicy } from "../../run/permission.ts";
import type { RunSpec } from "../../run/run.ts";
import type { Assignment } from "../assignment.ts";
import { ownPolicy } from "../settings/own-policy.ts";

/** Settings of a run that its continuation keeps. */
export type KeptSettings = Omit<Partial<Assignment>, "task" | "definition">;

/**
 * Returns the settings from the request of the run `spec`, for the run that continues it. All other settings follow from the
 * current definition and configuration. `definition` is the one that the run began with.
 */
export function keptSettings(spec: RunSpec, definition: AgentDefinition): KeptSettings {
  const { summary, tools, providerOptions, toolChoice, stopWhen, effort, maxTurns } = spec;
  const ofCall = <Value>(name: string, value: Value | null | undefined): Value | undefined =>
    spec.reasons?.[name] === "the call" ? (value ?? undefined) : undefined;
  const unlike = <Value>(value: Value, defined: unknown): Value | undefined =>
    isSame(value, defined) ? undefined : value;
  const names = spec.extensions?.map(({ name }) => name) ?? [];
  return omitUndefined({
    label: spec.label ?? undefined,
    detach: spec.detached,
    team: unlike(spec.team ?? false, definition.team ?? false),
    model: ofCall("model", spec.model),
    fallbacks: ofCall("fallbacks", spec.fallbacks),
    temperature: ofCall("temperature", spec.temperature),
    timeoutSeconds: ofCall("timeout", spec.timeoutSeconds),
    budget: ofCall("budget", spec.budget),
    extensions: ofCall("extensions", names),
    outputSchema: unlike(spec.outputSchema, definition.outputSchema),
    retries: unlike(spec.retry?.maxRetries, definition.retry?.maxRetries),
    maxTurns: unlike(maxTurns, definition.maxTurns ?? defaultMaxTurns),
    summary,
    tools,
    providerOptions,
    toolChoice,
    stopWhen,
    effort,
  });
}

/**
 * Returns the permission levels that the request of the run `spec` added: those that are neither inherited nor from its
 * definition. `inherited` is the number of levels above the run's own.
 */
export function keptPolicies(
  spec: RunSpec,
  definition: AgentDefinition,
  inherited: number,
): PermissionPolicy[] {
  const own = ownPolicy(definition);
  const levels = spec.policies.slice(inherited);
  const at = levels.findIndex((level) => own.some((one) => isSame(one, level)));
  return levels.filter((_, index) => index !== at);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
