import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { baseUrl, measureAgent } from "../../measure.ts";

/** Mastra: a sub-agent is one of the main agent's `agents`. */
const model = { id: "bench/gpt-4.1", url: baseUrl, apiKey: "none" } as const;

const sub = new Agent({
  id: "sub",
  name: "sub",
  description: "Works on a part.",
  instructions: "You are a sub-agent. Work on your task.",
  model,
  tools: {
    Think: createTool({
      id: "Think",
      description: "Records a thought.",
      inputSchema: z.object({ thought: z.string() }),
      execute: async () => "Noted.",
    }),
  },
});

const main = new Agent({
  id: "main",
  name: "main",
  instructions: "You are an agent. Delegate the parts of your task.",
  model,
  agents: { sub },
});

await measureAgent(async (task) => {
  // The default of ten simultaneous tool calls would make a fan-out wait.
  const { text } = await main.generate(task, { toolCallConcurrency: 100_000 });
  return text;
});
