import { Agent, type AgentTool } from "@earendil-works/pi-agent-core";
import { createModels, createProvider, type Model, Type } from "@earendil-works/pi-ai";
import { openAICompletionsApi } from "@earendil-works/pi-ai/api/openai-completions.lazy";
import { baseUrl, measureAgent } from "../../measure.ts";

/** pi's agent core: a sub-agent is an `Agent` behind a tool. It always streams replies. */
const model: Model<"openai-completions"> = {
  id: "gpt-4.1",
  name: "gpt-4.1",
  api: "openai-completions",
  provider: "bench",
  baseUrl,
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000,
  maxTokens: 32_000,
};
const models = createModels();
models.setProvider(
  createProvider({
    id: "bench",
    name: "bench",
    baseUrl,
    auth: { apiKey: { name: "bench", resolve: async () => ({ auth: { apiKey: "none" } }) } },
    models: [model],
    api: openAICompletionsApi(),
  }),
);

const think: AgentTool = {
  name: "Think",
  label: "Think",
  description: "Records a thought.",
  parameters: Type.Object({ thought: Type.String() }),
  execute: async () => ({ content: [{ type: "text", text: "Noted." }], details: undefined }),
};

const prompted = Type.Object({ prompt: Type.String() });
const delegate: AgentTool<typeof prompted> = {
  name: "Agent",
  label: "Agent",
  description: "Delegates a part to a sub-agent.",
  parameters: prompted,
  execute: async (_id, { prompt }) => {
    const text = await ask("You are a sub-agent. Work on your task.", [think], prompt);
    return { content: [{ type: "text", text }], details: undefined };
  },
};

async function ask(systemPrompt: string, tools: AgentTool[], task: string): Promise<string> {
  const agent = new Agent({
    initialState: { systemPrompt, model, tools },
    streamFn: models.streamSimple.bind(models),
  });
  await agent.prompt(task);
  if (agent.state.errorMessage !== undefined) throw new Error(agent.state.errorMessage);
  const last = agent.state.messages.at(-1);
  if (last?.role !== "assistant") throw new Error("The agent gave no answer.");
  return last.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

const instructions = "You are an agent. Delegate the parts of your task.";
await measureAgent((task) => ask(instructions, [delegate], task));
