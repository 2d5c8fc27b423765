import { baseUrl, measureAgent } from "./measure.ts";

/** A hand-written loop: global `fetch`, no journal, no limits. */
interface Call {
  id: string;
  function: { name: string; arguments: string };
}

interface Reply {
  choices: { message: { content: string | null; tool_calls?: Call[] } }[];
}

const tools = [declare("Think", ["thought"]), declare("Agent", ["type", "prompt"])];

function declare(name: string, inputs: readonly string[]): unknown {
  const properties = Object.fromEntries(inputs.map((input) => [input, { type: "string" }]));
  const parameters = { type: "object", properties, required: inputs };
  return { type: "function", function: { name, description: name, parameters } };
}

async function runAgent(task: string): Promise<string> {
  const messages: unknown[] = [
    { role: "system", content: "You are an agent. Work on your task." },
    { role: "user", content: task },
  ];
  for (;;) {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "mock", messages, tools }),
    });
    if (!response.ok) throw new Error(await response.text());
    const { choices } = (await response.json()) as Reply;
    const message = choices[0]?.message;
    messages.push(message);
    if (message?.tool_calls === undefined) return message?.content ?? "";
    const results = await Promise.all(message.tool_calls.map(callTool));
    for (const [index, { id }] of message.tool_calls.entries()) {
      messages.push({ role: "tool", tool_call_id: id, content: results[index] });
    }
  }
}

async function callTool(call: Call): Promise<string> {
  const input = JSON.parse(call.function.arguments) as { prompt: string };
  return call.function.name === "Agent" ? await runAgent(input.prompt) : "Noted.";
}

await measureAgent(runAgent);
