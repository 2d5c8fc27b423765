import { measure } from "./measure.ts";

/**
 * The loop people write by hand: global `fetch`, no journal, no limits. Arguments: base URL, number of agents.
 * A first round, not measured, lets the JIT warm up, as it does for Cadre.
 */
const [, , baseUrl, count] = process.argv;
const agents = Number(count);

interface Reply {
  choices: { message: { content: string | null; tool_calls?: { id: string }[] } }[];
}

const tools = [
  {
    type: "function",
    function: {
      name: "Think",
      description: "Think.",
      parameters: { type: "object", properties: { thought: { type: "string" } } },
    },
  },
];

async function runAgent(task: string): Promise<string> {
  const messages: unknown[] = [
    { role: "system", content: "You are a sub-agent. Work on your task." },
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
    for (const { id } of message.tool_calls) {
      messages.push({ role: "tool", tool_call_id: id, content: "Noted." });
    }
  }
}

async function fanOut(): Promise<void> {
  await Promise.all(Array.from({ length: agents }, (_, index) => runAgent(`part ${index}`)));
}

await fanOut();
process.stdout.write(JSON.stringify(await measure(fanOut)));
