// The tools that agents use to delegate.

import { z } from "zod";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { answerOf } from "../../run/answer.ts";
import type { RunResult } from "../../run/result.ts";
import { closedObject } from "../../source/closed-object.ts";
import type { JsonValue } from "../../source/json.ts";
import { createTool, type Tool, type ToolOutcome } from "../../tool/tool.ts";
import type { Delegation } from "../../run/delegation.ts";
import type { Delegate } from "../start/delegate.ts";
import { taskTitle, shortDescription } from "../shorten.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The arguments of the `Agent` tool. */
export interface AgentToolInput {
  /** The task. */
  prompt: string;
  /** The name of the agent. */
  type: string;
  /** Seconds. Default: the agent's own timeout. */
  timeout?: number | undefined;
}

/** Checks the arguments of the `Agent` tool. */
export const agentInput: z.ZodType<AgentToolInput> = closedObject({
  prompt: z
    .string()
    .min(1)
    .describe("The complete task: the agent sees nothing of this conversation."),
  type: z.string().min(1).describe("Which agent to run: one of the available agent types."),
  timeout: z
    .number()
    .positive()
    .optional()
    .describe("Seconds after which it is stopped, instead of the agent's own timeout."),
});

/**
 * Creates the `Agent` tool, which runs one of `agents` on a task and returns the answer. Several calls in one message run in
 * parallel.
 */
export function createAgentTool(delegate: Delegate, agents: readonly AgentDefinition[]): Tool {
  return createTool({
    name: "Agent",
    description: describeAgentTool(agents),
    access: "delegate",
    input: agentInput,
    describe: ({ type, prompt }) => ({
      title: `Agent ${type}: ${taskTitle(prompt)}`,
      subject: type,
      paths: [],
    }),
    async execute({ prompt, type, timeout }, { caller, stepKey, yieldWhile }) {
      const delegation = toDelegation({ prompt, type, timeout });
      const origin = { ...caller, stepKey };
      // A definition can declare its runs as background runs.
      if (agents.find(({ name }) => name === type)?.background === true) {
        return describeStarted(type, await delegate.start(delegation, origin));
      }
      const running = yieldWhile(delegate.run(delegation, origin));
      return running.then((result) => describeResult(type, result));
    },
  });
}

/** Converts the arguments of the `Agent` tool to a delegation. */
export function toDelegation({ prompt, type, timeout }: AgentToolInput): Delegation {
  return {
    agent: type,
    task: prompt,
    ...omitUndefined({ timeoutSeconds: timeout }),
  };
}

function describeStarted(agent: string, runId: string): ToolOutcome {
  const text = `Agent ${agent} works in the background (run ${runId}). Its result enters this conversation when it has ended.`;
  return { text, output: { runId, status: "accepted" } };
}

/** Returns a result for the delegating agent. A failure is text that the agent can act on. */
export function describeResult(agent: string, result: RunResult): ToolOutcome {
  const { status, text, failure, runId, warnings } = result;
  const notes = warnings.map((warning) => `[Warning: ${warning}]`);
  const output = result as unknown as JsonValue;
  if (failure === undefined) return { text: [answerOf(result), ...notes].join("\n\n"), output };
  const outputText = text === "" ? [] : [`Its text so far:\n${text}`];
  const kinds = [...new Set([status, failure.code])].join(", ");
  const head = `Agent ${agent} did not succeed (${kinds}, run ${runId}): ${failure.message}`;
  return { text: [head, ...outputText, ...notes].join("\n\n"), isError: true, output };
}

/** Returns the description of the tool for models. */
export function describeAgentTool(agents: readonly AgentDefinition[]): string {
  const describe = ({ name, description }: AgentDefinition): string =>
    `- ${name}: ${shortDescription(description, agents.length)}`;
  const list = agents.map(describe);
  return [
    "Launches an agent that works on a task independently and returns its final answer. Use it to keep your own context",
    "small, to use a specialist, or to do independent parts at once: calls in one message run in parallel. The agent",
    "sees only the prompt you write, so say what it should do, where, and what to report.",
    "",
    "Available agent types:",
    ...(list.length > 0 ? list : ["(none)"]),
  ].join("\n");
}
