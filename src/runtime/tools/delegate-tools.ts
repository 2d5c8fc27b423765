// The delegate tools for a loop of your own.

import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { Discovery } from "../../agent/discover.ts";
import {
  agentInput,
  type AgentToolInput,
  describeAgentTool,
  describeResult,
  toDelegation,
} from "../../delegate/tools/agent-tool.ts";
import type { Clock } from "../../clock.ts";
import type { Delegate } from "../../delegate/start/delegate.ts";
import { type AgentDirectory, findAgent } from "../../delegate/request/find-agent.ts";
import type { RecipeSource } from "../../delegate/request/recipe-assignment.ts";
import {
  acceptSubagent,
  assignSubagent,
  describeSubagent,
  subagentName,
} from "../../delegate/tools/subagent-tool.ts";
import { type SubagentInput, subagentInput } from "../../delegate/request/subagent-input.ts";
import type { Engine } from "../../engine/engine.ts";
import * as results from "../../delegate/tools/tool-results.ts";
import type { OfferedRecipe } from "../../run/offered-recipe.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { createDelegateTool, type DelegateTool, type DelegateCall } from "./delegate-tool.ts";
import type { RootScope } from "./root-scope.ts";
import { offerSessionTools, type OfferedSessionTools } from "./offer-session-tools.ts";

/**
 * The delegate tools for an agent with its own loop, by name. They are a `ToolSet` of the AI SDK, which has an index signature:
 * an interface could not be assigned to it.
 */
export type DelegateTools = OfferedSessionTools & {
  agent: DelegateTool<AgentToolInput>;
  subagent: DelegateTool<SubagentInput>;
};

/** The services behind the tools. */
export interface DelegateServices {
  delegate: Pick<Delegate, "start" | "assign">;
  engine: Pick<Engine, "result" | "cancel">;
  /** Shared by all tools of a Cadre. */
  scope: RootScope;
}

/** Options of {@link createDelegateTools}. */
export interface DelegateToolsOptions {
  /** Called for each call, because a failed registry is replaced. */
  findDelegateServices: () => Promise<DelegateServices>;
  catalog: Pick<AgentDirectory, "problemsOf"> & {
    discover: () => Promise<Discovery>;
    recipes: () => Promise<readonly OfferedRecipe[]>;
  };
  recipes: RecipeSource;
  clock: Pick<Clock, "schedule">;
  /** Absolute. */
  workspace: string;
}

/** Creates the tools, which start root runs. */
export async function createDelegateTools(options: DelegateToolsOptions): Promise<DelegateTools> {
  const { agents } = await options.catalog.discover();
  const { clock, findDelegateServices } = options;
  const findScope = async (): Promise<RootScope> => (await findDelegateServices()).scope;
  return {
    agent: createAgentTool(options, agents),
    subagent: await createSubagentTool(options),
    ...offerSessionTools(findScope, { clock, agents: agents.map(({ name }) => name) }),
  };
}

function createAgentTool(
  options: DelegateToolsOptions,
  agents: readonly AgentDefinition[],
): DelegateTools["agent"] {
  return createDelegateTool({
    title: "Run an agent",
    description: describeAgentTool(agents),
    inputSchema: agentInput,
    resultSchema: results.runResult,
    async call(input, call) {
      const services = await options.findDelegateServices();
      const id = await services.delegate.start(toDelegation(input));
      return await waitForRun(services, id, { ...call, name: input.type });
    },
  });
}

async function createSubagentTool(
  options: DelegateToolsOptions,
): Promise<DelegateTools["subagent"]> {
  const { catalog, findDelegateServices, recipes, workspace } = options;
  const offered = await catalog.recipes();
  const agents = async (): Promise<readonly AgentDefinition[]> => (await catalog.discover()).agents;
  const source = {
    parent: undefined,
    offered,
    recipes,
    workspace,
    findAgent: async (name: string) =>
      await findAgent({ agents, problemsOf: catalog.problemsOf }, name, undefined),
  };
  return createDelegateTool({
    title: "Delegate a task",
    description: `${describeSubagent(offered)}\nWith background, sessions_wait returns the result.`,
    inputSchema: subagentInput,
    resultSchema: results.runResultOrStart,
    async call(input, call) {
      const assignment = await assignSubagent(source, input);
      const services = await findDelegateServices();
      const id = await services.delegate.assign(assignment);
      if (input.background !== true) {
        return await waitForRun(services, id, { ...call, name: subagentName(input) });
      }
      services.scope.addToBackground(id);
      call.onRun(id);
      return acceptSubagent(id, assignment, "sessions_wait returns its result.");
    },
  });
}

/** Waits for a run; aborting the call cancels it. */
async function waitForRun(
  { engine, scope }: Pick<DelegateServices, "engine" | "scope">,
  id: string,
  { name, signal, left, onRun }: DelegateCall & { name: string },
): Promise<ToolOutcome> {
  onRun(id);
  const stop = (): void => {
    // The wait for the result reports a failed registry.
    engine.cancel(id, "the caller aborted it", "caller").catch(() => undefined);
  };
  const leave = (): void => scope.addToBackground(id);
  if (signal.aborted) stop();
  if (left.aborted) leave();
  signal.addEventListener("abort", stop, { once: true });
  left.addEventListener("abort", leave, { once: true });
  try {
    return describeResult(name, await engine.result(id));
  } finally {
    signal.removeEventListener("abort", stop);
    left.removeEventListener("abort", leave);
  }
}
