import {
  Agent,
  run,
  setDefaultOpenAIClient,
  setOpenAIAPI,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import { OpenAI } from "openai";
import { z } from "zod";
import { baseUrl, measureAgent } from "../../measure.ts";

/** OpenAI Agents: a sub-agent is an agent as a tool. Replies are not streamed. Traces, which go to OpenAI, are off. */
setDefaultOpenAIClient(new OpenAI({ baseURL: baseUrl, apiKey: "none" }));
setOpenAIAPI("chat_completions");
setTracingDisabled(true);

const sub = new Agent({
  name: "sub",
  model: "gpt-4.1",
  instructions: "You are a sub-agent. Work on your task.",
  tools: [
    tool({
      name: "Think",
      description: "Records a thought.",
      parameters: z.object({ thought: z.string() }),
      execute: async () => "Noted.",
    }),
  ],
});

const main = new Agent({
  name: "main",
  model: "gpt-4.1",
  instructions: "You are an agent. Delegate the parts of your task.",
  tools: [sub.asTool({ toolName: "Agent", toolDescription: "Delegates a part to a sub-agent." })],
});

await measureAgent(async (task) => (await run(main, task)).finalOutput ?? "");
