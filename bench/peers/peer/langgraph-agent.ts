import type { BaseMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { baseUrl, measureAgent } from "../../measure.ts";

/**
 * LangGraph's ready-made agent, from the package `langchain`: a sub-agent is an agent behind a tool. Sub-agents inherit the main
 * agent's checkpointer. Replies are not streamed.
 */
export async function measureLangGraph(checkpointer?: BaseCheckpointSaver): Promise<void> {
  const model = new ChatOpenAI({
    model: "gpt-4.1",
    apiKey: "none",
    configuration: { baseURL: baseUrl },
  });
  const think = tool(async () => "Noted.", {
    name: "Think",
    description: "Records a thought.",
    schema: z.object({ thought: z.string() }),
  });
  const sub = createAgent({
    model,
    tools: [think],
    systemPrompt: "You are a sub-agent. Work on your task.",
  });
  const delegate = tool(async ({ prompt }) => textOf(await sub.invoke(asked(prompt))), {
    name: "Agent",
    description: "Delegates a part to a sub-agent.",
    schema: z.object({ prompt: z.string() }),
  });
  const main = createAgent({
    model,
    tools: [delegate],
    systemPrompt: "You are an agent. Delegate the parts of your task.",
    checkpointer,
  });
  let threads = 0;
  await measureAgent(async (task) => {
    threads += 1;
    const thread = { configurable: { thread_id: String(threads) } };
    return textOf(await main.invoke(asked(task), thread));
  });
}

function asked(task: string): { messages: { role: "user"; content: string }[] } {
  return { messages: [{ role: "user", content: task }] };
}

function textOf({ messages }: { messages: BaseMessage[] }): string {
  return messages.at(-1)?.text ?? "";
}
