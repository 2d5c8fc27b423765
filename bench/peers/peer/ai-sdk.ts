import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { tool, ToolLoopAgent } from "ai";
import { z } from "zod";
import { baseUrl, measureAgent } from "../../measure.ts";

/** The AI SDK: a sub-agent is a `ToolLoopAgent` behind a tool. Replies are not streamed. */
const provider = createOpenAICompatible({ name: "bench", baseURL: baseUrl, apiKey: "none" });
const model = provider("gpt-4.1");

const sub = new ToolLoopAgent({
  model,
  instructions: "You are a sub-agent. Work on your task.",
  tools: {
    Think: tool({
      description: "Records a thought.",
      inputSchema: z.object({ thought: z.string() }),
      execute: async () => "Noted.",
    }),
  },
});

const main = new ToolLoopAgent({
  model,
  instructions: "You are an agent. Delegate the parts of your task.",
  tools: {
    Agent: tool({
      description: "Delegates a part to a sub-agent.",
      inputSchema: z.object({ prompt: z.string() }),
      execute: async ({ prompt }, { abortSignal }) => {
        const { text } = await sub.generate({ prompt, abortSignal });
        return text;
      },
    }),
  },
});

await measureAgent(async (task) => (await main.generate({ prompt: task })).text);
