// The settings of a run: model, extensions, workspace, rights and temperature.

import { type AgentDefinition, defaultMaxTurns } from "../../agent/definition/agent.ts";
import { withRead } from "../../agent/tools/with-read.ts";
import type { SpawnRequest } from "../../engine/engine.ts";
import type { PermissionPolicy } from "../../run/permission.ts";
import type { RetryPolicy } from "../../run/retry-policy.ts";
import type { RunSpec, StoredImage } from "../../run/run.ts";
import type { ChosenExtensions } from "./choose-extensions.ts";
import type { ChosenModel } from "./choose-model.ts";
import { conversationOf } from "./continued-settings.ts";
import { chooseTemperature } from "./choose-temperature.ts";
import { explainSettings } from "./explain-settings.ts";
import { ownPolicy } from "./own-policy.ts";
import type { Assignment, Origin } from "../assignment.ts";
import { type DelegationLimits, depthBelow } from "../family/limits.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The resolved settings of a requested run. */
export interface RunSettings {
  id: string;
  assignment: Assignment;
  origin: Origin | undefined;
  chosen: ChosenModel;
  context: Pick<RunSpec, "dependsOn" | "context">;
  images: readonly StoredImage[];
  extensions: ChosenExtensions;
  /** See `RunSpec.ownTools`. */
  ownTools: readonly string[];
  /** Warnings about unknown names in the definition. */
  missing: readonly string[];
  continued: Pick<RunSpec, "workspace" | "worktree">;
  definitionsAsOf: number;
}

/** The starting values of a root run. */
export interface RunOrigin {
  limits: DelegationLimits;
  /** The user's permission policy for every run. */
  policy: PermissionPolicy;
}

/** Builds the spec of a requested run: the assignment overrides the definition, which overrides the parent. */
export function buildRunSpec(beginning: RunOrigin, described: RunSettings): SpawnRequest {
  const { id, assignment, origin, chosen, context, extensions } = described;
  const { definition, task } = assignment;
  const parent = origin?.spec;
  return {
    id,
    rootId: parent?.rootId ?? id,
    parentId: parent?.id ?? null,
    parentStep: origin?.stepKey ?? null,
    depth: parent === undefined ? 0 : parent.depth + 1,
    agent: definition.name,
    task,
    label: assignment.label ?? null,
    definition: withoutSecrets(definition),
    temperature: chooseTemperature(assignment, chosen, origin).temperature,
    timeoutSeconds: assignment.timeoutSeconds ?? definition.timeoutSeconds,
    maxTurns: assignment.maxTurns ?? definition.maxTurns ?? defaultMaxTurns,
    maxDepth: depthBelow(definition, parent, beginning.limits),
    agents: definition.agents ?? null,
    definitionsAsOf: described.definitionsAsOf,
    ...described.continued,
    policies: [
      ...(parent?.policies ?? [beginning.policy]),
      ...ownPolicy(definition),
      ...(assignment.continued?.policies ?? []),
      ...requestedPolicy(assignment),
    ],
    chain: [...(parent?.chain ?? []), definition.name],
    ...describeOptional(described),
    ...conversationOf(assignment, parent),
    ...context,
    ...chosen,
    ...extensions,
    ...(described.ownTools.length > 0 && { ownTools: described.ownTools }),
    reasons: explainSettings(assignment, chosen, origin),
    warnings: [
      ...(assignment.warnings ?? []),
      ...chosen.warnings,
      ...extensions.warnings,
      ...described.missing,
    ],
  };
}

/** Removes the definition's own servers, whose configurations may hold secrets. They are stored separately (`storeExtension`). */
function withoutSecrets(definition: AgentDefinition): AgentDefinition {
  const { extensions } = definition;
  if (extensions === undefined) return definition;
  const names = extensions.map((extension) =>
    typeof extension === "string" ? extension : extension.name,
  );
  return { ...definition, extensions: names };
}

/** The optional fields of a spec. */
function describeOptional({ assignment, origin, images }: RunSettings): Partial<SpawnRequest> {
  const { definition, title, sequence, summary, onDependencyError } = assignment;
  const { inputs, options, reportsRedo, effort } = assignment;
  const { providerOptions, toolChoice, stopWhen, taskCalls } = assignment;
  const retry = retryOf(assignment);
  const budget = assignment.budget ?? definition.budget;
  const outputSchema = assignment.outputSchema ?? definition.outputSchema;
  const cache = assignment.cache ?? definition.cache;
  const isBackground = assignment.background ?? definition.background ?? false;
  return {
    ...omitUndefined({ taskCalls, title, inputs, options }),
    ...(reportsRedo === true && { reportsRedo }),
    ...omitUndefined({ effort }),
    ...(assignment.includeDependencyResult === true && { includeDependencyResult: true }),
    ...omitUndefined({ onDependencyError, sequence }),
    // A root run has no parent to report to or outlive.
    ...(isBackground && origin !== undefined && { background: true }),
    ...(assignment.detach === true && origin !== undefined && { detached: true }),
    ...((assignment.team ?? definition.team) === true && { team: true }),
    ...(images.length > 0 && { images }),
    ...omitUndefined({ summary, outputSchema, retry, budget, cache }),
    ...omitUndefined({ tools: withRead(assignment.tools), providerOptions, toolChoice }),
    ...(stopWhen !== undefined && { stopWhen: [stopWhen].flat() }),
  };
}

function retryOf({ definition, retries }: Assignment): RetryPolicy | undefined {
  if (retries === undefined) return definition.retry;
  return { checks: [], ...definition.retry, maxRetries: retries };
}

/** Returns the policy level of a request. It can only restrict, because the strictest level decides each call. */
function requestedPolicy({ mode, permissions, definition }: Assignment): PermissionPolicy[] {
  if (mode === undefined && permissions === undefined) return [];
  const { allow = [], ask = [], deny = [] } = permissions ?? {};
  return [
    {
      mode: mode ?? "auto",
      rules: { allow, ask, deny },
      from: `the request for ${definition.name}`,
    },
  ];
}
