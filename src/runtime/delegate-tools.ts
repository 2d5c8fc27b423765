import type { z } from "zod";
import type { AgentDefinition } from "../agent/agent.ts";
import type { Discovery } from "../agent/discover.ts";
import {
  agentInput,
  describeAgentTool,
  describeResult,
  toDelegation,
} from "../delegate/agent-tool.ts";
import type { Delegate } from "../delegate/delegate.ts";
import { type AgentSource, findAgent } from "../delegate/find-agent.ts";
import type { RecipeSource } from "../delegate/recipe-assignment.ts";
import {
  acceptSubagent,
  assignSubagent,
  describeSubagent,
  subagentName,
} from "../delegate/subagent-tool.ts";
import { subagentInput } from "../delegate/subagent-input.ts";
import type { Engine } from "../engine/engine.ts";
import * as results from "../delegate/tool-results.ts";
import type { OfferedRecipe } from "../run/offered-recipe.ts";
import type { ToolOutcome } from "../tool/tool.ts";
import { createDelegateTool, type DelegateTool, type DelegateCall } from "./delegate-tool.ts";
import type { RootScope } from "./root-scope.ts";
import { createSessionTools, type SessionTools } from "./session-tools.ts";

/** The delegate tools in the form of the AI SDK's `ToolSet`: for an agent whose loop is not Cadre's. */
export interface DelegateTools extends SessionTools {
  agent: DelegateTool<z.output<typeof agentInput>>;
  subagent: DelegateTool<z.output<typeof subagentInput>>;
}

/** What {@link createDelegateTools} needs. */
export interface DelegateToolsOptions {
  delegate: Pick<Delegate, "start" | "assign">;
  engine: Pick<Engine, "result" | "cancel">;
  /** The same for all tools of a Cadre, also those made later. */
  scope: RootScope;
  catalog: Pick<AgentSource, "problemsOf"> & {
    discover: () => Promise<Discovery>;
    recipes: () => Promise<readonly OfferedRecipe[]>;
  };
  recipes: RecipeSource;
  clock: Parameters<typeof createSessionTools>[0]["clock"];
  /** Absolute. */
  workspace: string;
}

/** Makes the tools; what they start are runs without a parent. */
export async function createDelegateTools(options: DelegateToolsOptions): Promise<DelegateTools> {
  const { agents } = await options.catalog.discover();
  const { clock, scope } = options;
  return {
    agent: createAgentTool(options, agents),
    subagent: await createSubagentTool(options, scope.leave),
    ...createSessionTools({ clock, scope }, agents),
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
    call: async (input, call) =>
      await waitForRun(options, await options.delegate.start(toDelegation(input)), {
        ...call,
        name: input.type,
      }),
  });
}

async function createSubagentTool(
  options: DelegateToolsOptions,
  leave: (runId: string) => void,
): Promise<DelegateTools["subagent"]> {
  const { catalog, delegate, recipes, workspace } = options;
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
    description: `${describeSubagent(offered)}\nWith background, sessions_wait gives the result.`,
    inputSchema: subagentInput,
    resultSchema: results.runResultOrStart,
    async call(input, call) {
      const assignment = await assignSubagent(source, input);
      const id = await delegate.assign(assignment);
      if (input.background !== true) {
        return await waitForRun(options, id, { ...call, name: subagentName(input) });
      }
      leave(id);
      call.onRun(id);
      return acceptSubagent(id, assignment, "sessions_wait gives its result.");
    },
  });
}

/** What a run comes to; whoever aborts the call ends it. */
async function waitForRun(
  { engine, scope }: Pick<DelegateToolsOptions, "engine" | "scope">,
  id: string,
  { name, signal, left, onRun }: DelegateCall & { name: string },
): Promise<ToolOutcome> {
  onRun(id);
  const stop = (): void => {
    // A registry that fails is told to whoever waits for the result.
    engine.cancel(id, "the caller aborted it", "caller").catch(() => undefined);
  };
  const leave = (): void => scope.leave(id);
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
