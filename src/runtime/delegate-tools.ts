import type { z } from "zod";
import type { AgentDefinition } from "../agent/agent.ts";
import {
  agentInput,
  createAgentTool,
  describeResult,
  toDelegation,
} from "../delegate/agent-tool.ts";
import type { Delegate } from "../delegate/delegate.ts";

/** The delegate tools in the form of the AI SDK's `ToolSet`: for an agent whose loop is not Cadre's. */
export interface DelegateTools {
  agent: {
    description: string;
    inputSchema: typeof agentInput;
    execute: (input: z.output<typeof agentInput>) => Promise<string>;
  };
}

/** Makes the tools; each call is a run without a parent. */
export function createDelegateTools(
  delegate: Delegate,
  agents: readonly AgentDefinition[],
): DelegateTools {
  const { description } = createAgentTool(delegate, agents);
  return {
    agent: {
      description,
      inputSchema: agentInput,
      async execute(input) {
        const result = await delegate.run(toDelegation(input));
        return describeResult(input.type, result).text;
      },
    },
  };
}
