import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { Delegate } from "../../delegate/start/delegate.ts";
import { checkDelegation } from "../../delegate/request/check-delegation.ts";
import { assignAgent, type AssignmentSource } from "../../delegate/request/to-assignment.ts";
import type { Delegation } from "../../run/delegation.ts";
import { isRecord } from "../../source/json.ts";
import { toDefinition } from "../catalog/given-definition.ts";
import { checkInlineAgent } from "../option/check-options.ts";
import { toJsonSchema } from "./output-schema.ts";
import type { ContinueOptions, SpawnOptions } from "../spawn-options.ts";

/** Requests a run as a caller of the library describes it. Resolves with the id of the run. */
export type StartRun = (request: SpawnOptions) => Promise<string>;

/** Creates the start of runs over `delegate`. `ownTools` are the tools of the program. */
export function createStartRun(
  source: AssignmentSource,
  delegate: Pick<Delegate, "start">,
  ownTools: () => readonly string[],
): StartRun {
  return async (request) => {
    const { agent, delegation } = readRequest(request, ownTools());
    if (agent === undefined) return await delegate.start(delegation);
    return await delegate.start(
      async () => await assignAgent(source, agent, { delegation, origin: undefined }),
    );
  };
}

/** Requests the next turn of the conversation of a run. Resolves with the id of the new run. */
export type ContinueRun = (runId: string, request: ContinueOptions) => Promise<string>;

/** Creates the continuation of runs over `delegate`. */
export function createContinueRun(delegate: Pick<Delegate, "continue">): ContinueRun {
  return async (runId, request) => {
    if (!isRecord(request)) checkDelegation(request, "delegation");
    const { outputSchema, signal: _, ...rest } = request;
    const schema = outputSchema === undefined ? {} : { outputSchema: toJsonSchema(outputSchema) };
    return await delegate.continue(runId, { ...rest, ...schema });
  };
}

/** Divides a request into a delegation and the agent that it brings. */
function readRequest(
  request: SpawnOptions,
  ownTools: readonly string[],
): {
  delegation: Delegation;
  agent?: AgentDefinition;
} {
  if (!isRecord(request)) checkDelegation(request, "delegation");
  const { agent, outputSchema, signal: _, ...rest } = request;
  const schema = outputSchema === undefined ? {} : { outputSchema: toJsonSchema(outputSchema) };
  if (!isRecord(agent)) return { delegation: { ...rest, ...schema, agent } };
  checkInlineAgent(agent, ownTools);
  return {
    delegation: { ...rest, ...schema, agent: agent.name },
    agent: toDefinition(agent),
  };
}
