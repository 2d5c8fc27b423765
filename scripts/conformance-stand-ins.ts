import { writeFileSync } from "node:fs";
import { join } from "node:path";

// The suite calls tools with fixed names, which every server should add for it. If one of Cadre's own tools has the same purpose,
// it is called instead, so that the suite checks Cadre's own responses.

/** A call of one of Cadre's tools. */
interface StandIn {
  name: string;
  arguments: Record<string, unknown>;
}

interface Call {
  method?: unknown;
  params?: { name?: unknown; uri?: unknown; arguments?: Record<string, unknown> };
}

/** The scripted model's behaviour: a slow reply, no reply, or a call that needs approval. */
export const conformanceScript = `
scripts:
  - when: { task: slow-0 }
    reply: { text: done }
  - when: { task: slow-1 }
    reply: { text: done, delayMs: 1000 }
  - when: { task: slow-2 }
    reply: { text: done, delayMs: 2000 }
  - when: { task: slow-60 }
    reply: { text: done, delayMs: 60000 }
  - when: { task: failing }
    reply: { text: unused, fault: { kind: status, status: 400 } }
  - when: { task: asking, turn: 0 }
    reply: { calls: [{ tool: Write, input: { file_path: a.txt, content: text } }] }
  - when: { task: twice, turn: 0 }
    reply: { calls: [{ tool: Write, input: { file_path: a.txt, content: text } }] }
  - when: { task: twice, turn: 1 }
    reply: { calls: [{ tool: Write, input: { file_path: b.txt, content: text } }] }
  - when: { task: both, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: main, prompt: asking } }, { tool: Agent, input: { type: main, prompt: asking too } }] }
  - reply: { text: done }
`;

function agent(prompt: string): StandIn {
  return { name: "agent", arguments: { type: "main", prompt } };
}

const list: StandIn = { name: "sessions_list", arguments: {} };

const standIns: Record<string, (given: Record<string, unknown>) => StandIn> = {
  test_simple_text: () => agent("simple"),
  test_error_handling: () => agent("failing"),
  test_tool_with_progress: () => agent("simple"),
  test_logging_tool: () => agent("simple"),
  test_elicitation: () => agent("asking"),
  test_streaming_elicitation: () => agent("asking"),
  test_input_required_result_request_state: () => agent("asking"),
  test_input_required_result_multi_round: () => agent("twice"),
  test_input_required_result_tampered_state: () => agent("asking"),
  test_input_required_result_capabilities: () => agent("asking"),
  test_input_required_result_elicitation: () => agent("asking"),
  test_trigger_tool_change: () => list,
  greet: () => list,
  slow_compute: ({ seconds }) => agent(`slow-${String(seconds)}`),
  failing_job: () => agent("failing"),
  confirm_delete: () => agent("asking"),
  multi_input: () => agent("both"),
};

/** Returns a request of the suite with the stand-in for the named tool, and the name for its header. */
export function putStandIn(body: string, folder: string): { body: string; name?: string } {
  const call = parse(body);
  const { name, arguments: given = {} } = call?.params ?? {};
  if (call?.method !== "tools/call" || typeof name !== "string") return { body };
  if (name === "test_trigger_tool_change") addAgent(folder);
  const standIn = standIns[name]?.(given);
  if (standIn === undefined) return { body };
  const params = { ...call.params, ...standIn };
  return { body: JSON.stringify({ ...call, params }), name: standIn.name };
}

let newcomers = 0;

/** Adds an agent, which changes the descriptions of the tools. */
function addAgent(folder: string): void {
  newcomers += 1;
  const name = `newcomer-${newcomers}`;
  const text = `---\nname: ${name}\ndescription: Comes while the suite looks\n---\nYou are new.\n`;
  writeFileSync(join(folder, ".cadre", "agents", `${name}.md`), text);
}

function parse(body: string): Call | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
