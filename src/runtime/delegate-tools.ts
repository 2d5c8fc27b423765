import type { z } from "zod";
import type { AgentDefinition } from "../agent/agent.ts";
import {
  agentInput,
  createAgentTool,
  describeResult,
  toDelegation,
} from "../delegate/agent-tool.ts";
import type { Engine } from "../engine/engine.ts";
import type { Delegate } from "../delegate/delegate.ts";

/** The delegate tools in the form of the AI SDK's `ToolSet`: for an agent whose loop is not Cadre's. */
export interface DelegateTools {
  agent: {
    description: string;
    inputSchema: typeof agentInput;
    /** Ends the run when `abortSignal` is aborted. */
    execute: (
      input: z.output<typeof agentInput>,
      options?: { abortSignal?: AbortSignal | undefined },
    ) => Promise<string>;
  };
}

/** Makes the tools; each call is a run without a parent. */
export function createDelegateTools(
  { delegate, engine }: { delegate: Delegate; engine: Pick<Engine, "result" | "cancel"> },
  agents: readonly AgentDefinition[],
): DelegateTools {
  const { description } = createAgentTool(delegate, agents);
  return {
    agent: {
      description,
      inputSchema: agentInput,
      async execute(input, { abortSignal } = {}) {
        abortSignal?.throwIfAborted();
        const id = await delegate.start(toDelegation(input));
        const stop = (): void => {
          // A registry that fails is told to whoever waits for the result.
          engine.cancel(id, "the caller aborted it", "caller").catch(() => undefined);
        };
        if (abortSignal?.aborted === true) stop();
        abortSignal?.addEventListener("abort", stop, { once: true });
        try {
          return describeResult(input.type, await engine.result(id)).text;
        } finally {
          abortSignal?.removeEventListener("abort", stop);
        }
      },
    },
  };
}
