import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AskOptions, askModel } from "../request/ask-model.ts";
import { assistantMessage, systemMessage, toolMessage, userMessage } from "../conversation.ts";
import type { ModelReply, ModelRequest } from "../model.ts";
import { readScriptedModel } from "./script-file.ts";
import { createScriptedModel, type Script } from "./scripted-model.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadre-script-"));
});
afterAll(() => rm(folder, { recursive: true }));

const script = `
scripts:
  - name: read first
    when: { agent: code-reviewer, task: { matches: 'review (?<file>\\S+)' }, turn: 0 }
    reply:
      text: Let me read {{file}}.
      calls:
        - { tool: Read, input: { path: "{{ file }}", nested: ["{{turn}}", 1] } }
        - { tool: Grep, input: {} }
  - name: count
    when: { tool: Read, last: { matches: '(?<count>\\d+) lines' } }
    reply: { text: "{{count}} lines, by {{tool}}: {{last}}" }
`;

test("replies with the first matching rule, and fills in values from the conversation", async () => {
  const language = await readScriptedModel(await save(script));
  const request: ModelRequest = {
    prompt: [systemMessage("You are the code-reviewer."), userMessage("Please review a.ts now")],
    tools: [],
  };
  for (const stream of [true, false]) {
    const first = await ask(language, request, { stream });
    expect(first).toMatchObject({
      finish: "tool-calls",
      parts: [
        { type: "text", text: "Let me read a.ts." },
        { type: "tool-call", tool: "Read", input: { path: "a.ts", nested: ["0", 1] } },
        { type: "tool-call", tool: "Grep", input: {} },
      ],
    });
    const ids = first.parts.flatMap((part) => ("id" in part ? [part.id] : []));
    expect(new Set(ids).size).toBe(2);
    expect((await ask(language, request, { stream })).parts).toEqual(first.parts);

    const results = toolMessage([
      // The result of a tool is never expanded as a template.
      { id: ids[0] ?? "", tool: "Read", text: "12 lines {{task}} $& $1" },
      { id: ids[1] ?? "", tool: "Grep", text: "none" },
    ]);
    const prompt = [...request.prompt, assistantMessage(first), results];
    const second = await ask(language, { ...request, prompt }, { stream });
    expect(second.parts).toEqual([
      { type: "text", text: "12 lines, by Read: 12 lines {{task}} $& $1\nnone" },
    ]);
    expect(second.usage.inputTokens).toBeGreaterThan(0);
  }
});

test("a conversation without a rule shows its end and why each rule did not match", async () => {
  const language = await readScriptedModel(await save(script));
  const request = { prompt: [systemMessage("code-reviewers"), userMessage("sing")], tools: [] };
  await expect(ask(language, request)).rejects.toMatchObject({
    code: "model-error",
    message: expect.stringMatching(
      /turn 0 .*ends with "sing".*\n- read first: the instructions do not name the agent code-reviewer\n- count: tool is not Read/s,
    ),
  });
});

describe("an invalid file is refused with the position of the error:", () => {
  test.each([
    ["scripts: []", /:1:1 error script-invalid/],
    ["scripts:\n  - reply:\n      txt: Hi.\n", /:3:7 error|:2:5 error/],
    [
      "scripts:\n  - when: { task: { matches: '(' } }\n    reply: {}\n",
      /:2:\d+ error script-invalid/,
    ],
    ["scripts:\n  - reply: { text: '{{nobody}}' }\n", /`\{\{nobody\}\}` is neither/],
    ["scripts: [", /yaml-invalid/],
  ])("%j", async (text, expected) => {
    await expect(readScriptedModel(await save(text))).rejects.toMatchObject({
      code: "model-unavailable",
      message: expect.stringMatching(expected),
    });
  });
});

describe("a fault", () => {
  test.each([
    [{ kind: "status", status: 529, times: 2 } as const, "overloaded"],
    [{ kind: "drop", times: 2 } as const, "network"],
    [{ kind: "malformed", times: 2 } as const, "abnormal-finish"],
  ])("%j comes as often as it says, and is tried again", async (fault, kind) => {
    for (const stream of [true, false]) {
      const retries: string[] = [];
      const reply = await ask(
        model(() => ({ text: "Hi there.", fault })),
        hello,
        {
          stream,
          onRetry: ({ reason }) => retries.push(reason),
        },
      );
      expect(reply.parts).toEqual([{ type: "text", text: "Hi there." }]);
      expect(retries).toHaveLength(2);
      expect(retries[0]).toContain(kind);
    }
  });

  test("that hangs ends when the signal aborts", async () => {
    const controller = new AbortController();
    const asking = ask(
      model(() => ({ fault: { kind: "hang" } })),
      hello,
      { signal: controller.signal },
    );
    controller.abort(new Error("enough"));
    await expect(asking).rejects.toThrow("enough");
  });

  test("with a Retry-After is waited for", async () => {
    const delays: number[] = [];
    const fault = { kind: "status", status: 429, retryAfterSeconds: 3, times: 1 } as const;
    await ask(
      model(() => ({ text: "Hi.", fault })),
      hello,
      {
        random: () => 0,
        sleep: async (delayMs) => void delays.push(delayMs),
      },
    );
    expect(delays).toEqual([3_000]);
  });
});

test("a delay ends when the signal aborts", async () => {
  const controller = new AbortController();
  const asking = ask(
    model(() => ({ text: "Hi.", delayMs: 60_000 })),
    hello,
    { signal: controller.signal },
  );
  controller.abort(new Error("enough"));
  await expect(asking).rejects.toThrow("enough");
});

test("a function is a script too, and a call it has no reply to is an error", async () => {
  const seen = model(({ task, turn }) =>
    turn === 0 && task === "Hello?" ? { text: "Hi.", usage: { inputTokens: 7 } } : null,
  );
  expect((await ask(seen, hello)).usage.inputTokens).toBe(7);
  const other = { prompt: [userMessage("Bye.")], tools: [] };
  await expect(ask(seen, other)).rejects.toThrow('ends with "Bye."');
});

const hello: ModelRequest = { prompt: [userMessage("Hello?")], tools: [] };

function model(reply: Script): ReturnType<typeof createScriptedModel> {
  return createScriptedModel(reply, { id: "test" });
}

async function save(text: string): Promise<string> {
  const file = join(folder, "script.yaml");
  await writeFile(file, text);
  return file;
}

function ask(
  language: ReturnType<typeof createScriptedModel>,
  request: ModelRequest,
  options: Partial<AskOptions> = {},
): Promise<ModelReply> {
  const asked = { id: "scripted:test", language, price: null, contextTokens: 1_000 };
  const { signal } = new AbortController();
  return askModel(asked, request, { signal, stream: false, sleep: async () => {}, ...options });
}
