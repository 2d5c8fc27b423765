import { type AgentDefinition, defaultMaxTurns } from "../agent/agent.ts";
import type { SpawnRequest } from "../engine/engine.ts";
import type { PermissionPolicy } from "../run/permission.ts";
import type { RetryPolicy } from "../run/retry-policy.ts";
import type { RunSpec, StoredImage } from "../run/run.ts";
import type { ChosenExtensions } from "./choose-extensions.ts";
import type { ChosenModel } from "./choose-model.ts";
import { chooseTemperature } from "./choose-temperature.ts";
import { explainSettings } from "./explain-settings.ts";
import type { Assignment, Origin } from "./delegation.ts";
import { type DelegationLimits, depthBelow } from "./limits.ts";

/** What was found out about a run that is asked for. */
export interface Described {
  id: string;
  assignment: Assignment;
  origin: Origin | undefined;
  chosen: ChosenModel;
  context: Pick<RunSpec, "dependsOn" | "context">;
  images: readonly StoredImage[];
  extensions: ChosenExtensions;
  /** What is said of names in the definition that lead nowhere. */
  missing: readonly string[];
  place: Pick<RunSpec, "workspace" | "worktree">;
  definitionsAsOf: number;
}

/** What a run without a parent begins with. */
export interface Beginning {
  limits: DelegationLimits;
  /** What the user allows every run. */
  policy: PermissionPolicy;
}

/** The run that is asked for: what the assignment says, else its definition, else its parent. */
export function describeRun(beginning: Beginning, described: Described): SpawnRequest {
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
    maxTurns: definition.maxTurns ?? defaultMaxTurns,
    maxDepth: depthBelow(definition, parent, beginning.limits),
    agents: definition.agents ?? null,
    definitionsAsOf: described.definitionsAsOf,
    ...described.place,
    policies: [...(parent?.policies ?? [beginning.policy]), ...ownPolicy(definition)],
    chain: [...(parent?.chain ?? []), definition.name],
    ...describeOptional(described),
    ...context,
    ...chosen,
    ...extensions,
    reasons: explainSettings(assignment, chosen, origin),
    warnings: [
      ...(assignment.warnings ?? []),
      ...chosen.warnings,
      ...extensions.warnings,
      ...described.missing,
    ],
  };
}

/** Its own servers are kept apart (`storeExtension`): their configurations may hold secrets, and definitions are stored. */
function withoutSecrets(definition: AgentDefinition): AgentDefinition {
  const { extensions } = definition;
  if (extensions === undefined) return definition;
  const names = extensions.map((extension) =>
    typeof extension === "string" ? extension : extension.name,
  );
  return { ...definition, extensions: names };
}

/** What is in a spec only when somebody asked for it. */
function describeOptional({ assignment, origin, images }: Described): Partial<SpawnRequest> {
  const { definition, title, sequence, summary, onDependencyError } = assignment;
  const { inputs, options, reportsRedo, effort } = assignment;
  const retry = retryOf(assignment);
  const budget = assignment.budget ?? definition.budget;
  const outputSchema = assignment.outputSchema ?? definition.outputSchema;
  const cache = assignment.cache ?? definition.cache;
  const isBackground = assignment.background ?? definition.background ?? false;
  return {
    ...(title !== undefined && { title }),
    ...(inputs !== undefined && { inputs }),
    ...(options !== undefined && { options }),
    ...(reportsRedo === true && { reportsRedo }),
    ...(effort !== undefined && { effort }),
    ...(assignment.includeDependencyResult === true && { includeDependencyResult: true }),
    ...(onDependencyError !== undefined && { onDependencyError }),
    ...(sequence !== undefined && { sequence }),
    // A run without a parent has no conversation to report to, and nothing to outlive.
    ...(isBackground && origin !== undefined && { background: true }),
    ...(assignment.detach === true && origin !== undefined && { detached: true }),
    ...(images.length > 0 && { images }),
    ...(summary !== undefined && { summary }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(retry !== undefined && { retry }),
    ...(budget !== undefined && { budget }),
    ...(cache !== undefined && { cache }),
  };
}

function retryOf({ definition, retries }: Assignment): RetryPolicy | undefined {
  if (retries === undefined) return definition.retry;
  return { checks: [], ...definition.retry, maxRetries: retries };
}

/** A definition's own level; where it has rules and no mode, the mode is the one that adds nothing to them. */
function ownPolicy({ permissionMode, permissions }: AgentDefinition): PermissionPolicy[] {
  if (permissionMode === undefined && permissions === undefined) return [];
  const rules = permissions ?? { allow: [], ask: [], deny: [] };
  return [{ mode: permissionMode ?? "auto", rules }];
}
