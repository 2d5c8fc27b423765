// Requests of the library: their agent, their settings and the schema of their output.

import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { Delegate } from "../../delegate/start/delegate.ts";
import { checkDelegation } from "../../delegate/request/check-delegation.ts";
import {
  assignAgent,
  type AssignmentSource,
  toAssignment,
} from "../../delegate/request/to-assignment.ts";
import { CadreError } from "../../errors.ts";
import { givenObjects, nameGivenModels } from "../../model/given-models.ts";
import type { ModelObject } from "../../model/model-object.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Delegation } from "../../run/delegation.ts";
import { type QueueRequest, readQueueRequest } from "../../run/queue/queue-request.ts";
import { isRecord } from "../../source/json.ts";
import { toDefinition } from "../catalog/given-definition.ts";
import { checkInlineAgent } from "../option/check-options.ts";
import { findFallbacksProblem, findReferenceProblem } from "../option/model-field.ts";
import { toJsonSchema } from "./output-schema.ts";
import type { ContinueOptions, SpawnOptions } from "../spawn-options.ts";

/** Starts a run from a request of a library caller. Resolves with the id of the run. */
export type StartRun = (request: SpawnOptions) => Promise<string>;

/** Creates the start of runs over `delegate`. `ownTools` are the program's own tools. */
export function createStartRun(
  source: AssignmentSource,
  delegate: Pick<Delegate, "start">,
  ownTools: () => readonly string[],
): StartRun {
  return async (request) => {
    const { agent, id, queue, delegation, modelObjects } = readRequest(request, ownTools());
    const isPlain =
      agent === undefined && id === undefined && queue === undefined && modelObjects.length === 0;
    if (isPlain) return await delegate.start(delegation);
    return await delegate.start(async () => {
      checkDelegation(delegation, "delegation");
      const assignment =
        agent === undefined
          ? await toAssignment(source, delegation, undefined)
          : await assignAgent(source, agent, { delegation, origin: undefined });
      return { ...assignment, modelObjects, ...omitUndefined({ runId: id, queue }) };
    });
  };
}

/** Requests the next turn of the conversation of a run. Resolves with the id of the new run. */
export type ContinueRun = (runId: string, request: ContinueOptions) => Promise<string>;

/** Creates the continuation of runs over `delegate`. */
export function createContinueRun(delegate: Pick<Delegate, "continue">): ContinueRun {
  return async (runId, request) => {
    if (!isRecord(request)) checkDelegation(request, "delegation");
    const { outputSchema, queue, signal: _, ...rest } = request;
    const schema = outputSchema === undefined ? {} : { outputSchema: toJsonSchema(outputSchema) };
    const asked = queue === undefined ? undefined : readQueueRequest(queue);
    return await delegate.continue(runId, { ...rest, ...schema }, undefined, asked);
  };
}

/** The parts of a request. */
interface ReadRequest {
  delegation: Delegation;
  /** The agent in the request. */
  agent?: AgentDefinition;
  /** The id of the new run. */
  id?: string | undefined;
  queue?: QueueRequest | undefined;
  /** The models in the request. */
  modelObjects: ModelObject[];
}

function readRequest(request: SpawnOptions, ownTools: readonly string[]): ReadRequest {
  if (!isRecord(request)) checkDelegation(request, "delegation");
  const { agent, id, outputSchema, signal: _, model, fallbacks, ...more } = request;
  const { queue: asked, ...rest } = more;
  const queue = asked === undefined ? undefined : readQueueRequest(asked);
  if (model !== undefined) refuse("model", findReferenceProblem(model));
  if (fallbacks !== undefined) refuse("fallbacks", findFallbacksProblem(fallbacks));
  const given = {
    ...rest,
    ...nameGivenModels({ model, fallbacks }),
    ...(outputSchema !== undefined && { outputSchema: toJsonSchema(outputSchema) }),
  };
  const own = isRecord(agent) ? givenObjects(agent) : [];
  const modelObjects = [...own, ...givenObjects({ model, fallbacks })];
  if (!isRecord(agent)) return { delegation: { ...given, agent }, id, queue, modelObjects };
  checkInlineAgent(agent, ownTools);
  const delegation = { ...given, agent: agent.name };
  return { delegation, agent: toDefinition(agent), id, queue, modelObjects };
}

/** @throws CadreError `invalid-argument` when there is a problem. */
function refuse(field: string, problem: string | null): void {
  if (problem === null) return;
  const message = `The \`${field}\` of the request is not valid: ${problem}.`;
  throw new CadreError("invalid-argument", message);
}
