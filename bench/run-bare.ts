import { measure } from "./measure.ts";

/**
 * The loop people write by hand: global `fetch`, no journal, no limits. Arguments: base URL, `fan-out` or `chain`, number of
 * agents.
 */
const [, , baseUrl, shape, count] = process.argv;

interface Call {
  id: string;
  function: { name: string; arguments: string };
}

interface Reply {
  choices: { message: { content: string | null; tool_calls?: Call[] } }[];
}

const tools = ["Think", "Agent"].map((name) => ({
  type: "function",
  function: { name, description: name, parameters: { type: "object", properties: {} } },
}));

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

const work = async (): Promise<void> => void (await runAgent(`${shape} ${count}`));

process.stdout.write(JSON.stringify(await measure(work)));
