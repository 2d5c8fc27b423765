/** The parts of a request in OpenAI's chat protocol that the benchmark model reads. */
export interface BenchRequest {
  messages: readonly Message[];
  tools?: readonly ToolDeclaration[];
  stream?: boolean;
}

interface Message {
  role: string;
  content?: string | readonly { text?: string }[] | null;
  tool_calls?: readonly Call[];
  tool_call_id?: string;
}

interface ToolDeclaration {
  function: { name: string; parameters?: { properties?: Readonly<Record<string, unknown>> } };
}

interface Call {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

export interface Reply {
  role: "assistant";
  content: string | null;
  tool_calls?: Call[];
}

/** Returns the answer to a task. It differs for each task, so that mixed-up results are detected. */
export const answerTo = (task: string): string => `done: ${task}.`;

/**
 * Returns the model's reply. The last user message is the task: `fan-out N` delegates N parts at once, `chain N` delegates N parts one
 * after the other, and a sub-agent calls a tool twice before it answers. Throws if a call has a wrong result or none.
 */
export function replyTo({ messages, tools = [] }: BenchRequest): Reply {
  const start = messages.findLastIndex(({ role }) => role === "user");
  const task = textOf(messages[start]);
  const conversation = messages.slice(start + 1);
  checkResults(conversation);
  const turn = conversation.filter(({ role }) => role === "assistant").length;
  const calls = callsOf(task, turn, tools);
  return calls.length === 0
    ? { role: "assistant", content: answerTo(task) }
    : { role: "assistant", content: null, tool_calls: calls };
}

function textOf(message: Message | undefined): string {
  const content = message?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

function checkResults(conversation: readonly Message[]): void {
  const results = new Map(
    conversation.map((message) => [message.tool_call_id, textOf(message)] as const),
  );
  for (const made of conversation.flatMap((message) => message.tool_calls ?? [])) {
    const expected = resultOf(made);
    const result = results.get(made.id);
    if (result?.includes(expected) === true) continue;
    const found = result === undefined ? "no result" : JSON.stringify(result);
    throw new Error(`The result of call ${made.id} must contain "${expected}"; got ${found}.`);
  }
}

function resultOf({ function: { name, arguments: json } }: Call): string {
  if (!isDelegation(name)) return "Noted.";
  const { prompt, input } = JSON.parse(json) as Partial<Record<string, string>>;
  return answerTo(prompt ?? input ?? "");
}

/** Recognises the tool that delegates. Frameworks that choose its name derive it from the agent. */
const isDelegation = (name: string): boolean => /^agent/i.test(name);

function callsOf(task: string, turn: number, tools: readonly ToolDeclaration[]): Call[] {
  const [kind, count] = task.split(" ");
  if (kind === "fan-out") {
    return turn > 0
      ? []
      : Array.from({ length: Number(count) }, (_, index) => delegate(index, tools));
  }
  if (kind === "chain") return turn < Number(count) ? [delegate(turn, tools)] : [];
  return turn < 2 ? [call(`think-${turn}`, "Think", { thought: "what to do next" })] : [];
}

function delegate(index: number, tools: readonly ToolDeclaration[]): Call {
  const tool = tools.find(({ function: { name } }) => isDelegation(name))?.function;
  if (tool === undefined) throw new Error("The main agent has no tool that delegates.");
  const part = `work on part ${index}`;
  const input = Object.entries({ type: "sub", prompt: part, input: part });
  const declared = input.filter(([name]) => name in (tool.parameters?.properties ?? {}));
  return call(`agent-${index}`, tool.name, Object.fromEntries(declared));
}

function call(id: string, name: string, input: unknown): Call {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}
