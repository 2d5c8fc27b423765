/** A request to continue the conversation of a run that has ended. */

import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import { existsSync } from "node:fs";
import { z } from "zod";
import { type AgentDefinition, isProgram } from "../../agent/definition/agent.ts";
import type { RecordedRun } from "../../engine/life/recorded-run.ts";
import { CadreError } from "../../errors.ts";
import { findAbandoned } from "../../registry/find-abandoned.ts";
import { findLatestTurn } from "../../registry/find-latest-turn.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Delegation } from "../../run/delegation.ts";
import { isTerminal, type Run, type RunSpec } from "../../run/run.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { isInside } from "../../source/file/real-path.ts";
import type { Assignment, Origin } from "../assignment.ts";
import { checkDelegation, delegationShape } from "./check-delegation.ts";
import { keptPolicies, type KeptSettings, keptSettings } from "./kept-settings.ts";
import { type AssignmentSource, toAssignment } from "./to-assignment.ts";

/** The fields of a request that a continuation lacks. */
export type StartField =
  | "input"
  | "inputs"
  | "dependsOn"
  | "includeDependencyResult"
  | "onDependencyError"
  | "sharedContext"
  | "background"
  | "detach"
  | "cache"
  | "cwd";

const startFields: ReadonlySet<string> = new Set<StartField>([
  "input",
  "inputs",
  "dependsOn",
  "includeDependencyResult",
  "onDependencyError",
  "sharedContext",
  "background",
  "detach",
  "cache",
  "cwd",
]);

/** The fields of a request to continue a conversation. An omitted field keeps its value from the previous turn. */
export type ContinueDelegation = Omit<Delegation, "agent" | StartField> & {
  /** The agent for the next turn. Absent = the agent of the previous turn, as now defined. */
  agent?: string;
  /** Compacts the conversation to about half before the first request, as a full context would (default false). */
  compact?: boolean;
};

const compactSchema = z.boolean();

/** The fields of a request for the next turn, by name, for interfaces that take requests as data. */
export const continuationShape: Readonly<Record<string, z.ZodType>> = {
  ...Object.fromEntries(
    Object.entries(delegationShape).flatMap(([name, schema]) => {
      if (startFields.has(name)) return [];
      return [[name, name === "agent" ? schema.optional() : schema]];
    }),
  ),
  compact: compactSchema.exactOptional(),
};

/** Decides how a recorded run may continue here and now. The journal is untrusted. */
export interface ContinuationAdmission {
  /**
   * Checks the recorded run's workspace and the settings `kept`, which the next turn keeps.
   *
   * @throws CadreError with what is missing.
   */
  checkKept: (recorded: RecordedRun, kept: KeptSettings) => Promise<void>;
  /**
   * Returns the current definition of the run's agent. The request's models replace the definition's.
   *
   * @throws CadreError `agent-not-found` when it is gone, `definition-invalid` or `not-trusted`.
   */
  findDefinition: (
    recorded: RecordedRun,
    request: Pick<Delegation, "model" | "fallbacks">,
  ) => Promise<AgentDefinition>;
}

/** The sources of {@link assignContinuation}. */
export interface ContinuationSource extends AssignmentSource {
  registry: Registry;
  continuations: ContinuationAdmission;
}

/** A request for the next turn after the run `runId`. */
export interface ContinuationRequest {
  runId: string;
  delegation: ContinueDelegation;
  /** The requesting run. Absent: the user. */
  origin: Origin | undefined;
}

/**
 * Resolves a request to continue the conversation of a run after its latest turn.
 *
 * @throws CadreError `run-not-found`, `invalid-argument` for a run that cannot be continued, `agent-not-found`, and errors of
 * admission.
 */
export async function assignContinuation(
  source: ContinuationSource,
  { runId, delegation, origin }: ContinuationRequest,
): Promise<Assignment> {
  const { agent, compact = false, ...request } = delegation;
  checkDelegation({ ...request, agent: agent ?? "main" }, "delegation");
  checkCompact(compact);
  checkParameters(delegation);
  const recorded = await findEnded(source.registry, runId, origin);
  const { spec } = recorded;
  const { continuations } = source;
  const definition =
    agent === undefined ? await continuations.findDefinition(recorded, request) : undefined;
  const kept = withoutReplaced(keptSettings(spec, recorded.definition), request);
  await continuations.checkKept(recorded, definition === undefined ? {} : kept);
  checkWorkspace(spec, origin);
  const parent = spec.parentId === null ? undefined : await source.registry.spec(spec.parentId);
  const inherited = spec.parentId === null ? 1 : (parent?.policies.length ?? 0);
  const isReplaced = request.mode !== undefined || request.permissions !== undefined;
  const policies = isReplaced ? [] : keptPolicies(spec, recorded.definition, inherited);
  const own = {
    continued: { spec, policies, compact },
    ...(origin !== undefined && { background: true }),
  };
  if (definition === undefined) {
    const given = { ...omitUndefined({ label: spec.label ?? undefined }), ...request };
    const assignment = await toAssignment(source, { ...given, agent: agent ?? "" }, origin);
    return checked({ ...assignment, ...own });
  }
  checkAllowed(definition, origin);
  const hasToolsBesideParent = hasOwnTools(definition, spec, parent);
  const { task = "" } = request;
  return checked({ ...kept, ...request, ...own, task, definition, hasToolsBesideParent });
}

/** Returns the previous turn's settings that the request does not replace. */
function withoutReplaced(settings: KeptSettings, request: object): KeptSettings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !(name in request)));
}

function checkCompact(compact: unknown): void {
  if (compactSchema.safeParse(compact).success) return;
  const message = `Expected true or false for \`compact\`; got ${JSON.stringify(compact)}.`;
  throw new CadreError("invalid-argument", message);
}

/** The recipe of the previous turn is already filled. */
function checkParameters({ agent, parameters }: ContinueDelegation): void {
  if (agent !== undefined || parameters === undefined) return;
  const message =
    "Expected `agent` with the name of a recipe together with `parameters`, because a conversation keeps the values of its recipe.";
  throw new CadreError("invalid-argument", message);
}

/** A program has no conversation. */
function checked(assignment: Assignment): Assignment {
  const { definition } = assignment;
  if (!isProgram(definition)) return assignment;
  const message = `The agent ${definition.name} is a program, which reads no messages, so its runs cannot be continued. Start a new run, or name another agent with the option \`agent\`.`;
  throw new CadreError("invalid-argument", message, { details: { agent: definition.name } });
}

/** Finds the latest turn of the conversation, which must have ended. */
async function findEnded(
  registry: Registry,
  runId: string,
  origin: Origin | undefined,
): Promise<RecordedRun> {
  // A turn that was requested just now also counts.
  await registry.flushed();
  const named = await registry.run(runId);
  if (named === undefined) throw noRun(runId);
  const run = await findLatestTurn(registry, named);
  if (!isTerminal(run.status)) throw await unfinished(registry, run);
  if (origin === undefined && run.parentId !== null) throw ofFamily(run);
  const spec = await registry.spec(run.id);
  const definition = spec && (await registry.content(spec.definition));
  if (spec?.id !== run.id || definition === undefined) throw noRun(run.id);
  return { spec, definition: definition as unknown as RecordedRun["definition"] };
}

function noRun(runId: string): CadreError {
  const message = `There is no run ${runId}, or it was deleted, so its conversation cannot be continued. \`cadre conversations\` lists the conversations.`;
  return new CadreError("run-not-found", message);
}

async function unfinished(registry: Registry, { id, rootId, status }: Run): Promise<CadreError> {
  const isProcessGone = (await findAbandoned(registry)).includes(rootId);
  const message = isProcessGone
    ? `The run ${id} has not ended, and its process is gone. Complete it first with \`cadre resume ${id}\`.`
    : `The run ${id} is active (${status}). Send it a message with \`cadre send ${id} TEXT\`, or wait for its end.`;
  return new CadreError("invalid-argument", message, { details: { runId: id, status } });
}

function ofFamily({ id, parentId, rootId }: Run): CadreError {
  const message = `The run ${id} was started by run ${parentId}, whose conversation it belongs to. Continue run ${rootId}, or start a separate conversation with \`cadre fork ${id} --task TEXT\`.`;
  return new CadreError("invalid-argument", message, { details: { runId: id, parentId } });
}

/** Requires that the run works where its caller may work. */
function checkWorkspace({ id, workspace, worktree }: RunSpec, origin: Origin | undefined): void {
  const place = worktree?.from ?? workspace;
  if (origin !== undefined && !isInside(place, origin.spec.workspace)) {
    const message = `The run ${id} worked in ${place}, which is outside its caller's workspace ${origin.spec.workspace}.`;
    throw new CadreError("invalid-argument", message);
  }
  if (worktree !== undefined || existsSync(workspace)) return;
  const message = `The run ${id} worked in ${workspace}, which no longer exists. Start a new run.`;
  throw new CadreError("invalid-argument", message);
}

function checkAllowed({ name }: AgentDefinition, origin: Origin | undefined): void {
  const allowed = origin?.spec.agents ?? null;
  if (allowed === null || allowed.includes(name)) return;
  const message = `Agent ${origin?.spec.agent} may not delegate to ${name}. Available: ${allowed.join(", ") || "none"}.`;
  throw new CadreError("delegation-denied", message);
}

/** A sub-recipe has tools in addition to its caller's. */
function hasOwnTools({ source }: AgentDefinition, spec: RunSpec, parent?: RunSpec): boolean {
  const isBeside = JSON.stringify(parent?.parentTools) === JSON.stringify(spec.parentTools);
  return agentKindOf(source).addsTools && isBeside;
}
