import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkWire, wireOf } from "../../test/strict-wire-checker.ts";
import { askModel } from "./request/ask-model.ts";
import { assistantMessage, systemMessage, toolMessage, userMessage } from "./conversation.ts";
import { createModels, type Models } from "./provider/create-models.ts";
import { createKeepAliveFetch } from "./transport/keep-alive-fetch.ts";
import type { Model, ModelReply, ModelTool } from "./model.ts";

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const image = { mediaType: "image/png", data: pixel };
const tools: ModelTool[] = [
  {
    name: "Read",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  },
  {
    name: "mcp__files.and folders__a-very-long-name-that-goes-on-and-on-and-on-and-on",
    description: "A name no provider takes, and a schema without a type.",
    inputSchema: {},
  },
];

const mock = new LLMock({ port: 0 });
const transport = createKeepAliveFetch();
const problems: string[] = [];
const bodies: Record<string, unknown>[] = [];
let models: Models;

/** The real transport, which checks every request. */
const checkedFetch: typeof fetch = async (input, init) => {
  const url = input as string;
  const wire = wireOf(url);
  const body = JSON.parse(init?.body as string) as Record<string, unknown>;
  bodies.push(body);
  problems.push(...(wire === null ? [`${url} is no request to a model`] : checkWire(wire, body)));
  return await transport.fetch(input, init);
};

beforeAll(async () => {
  process.env["AIMOCK_STRICT_TURN_INDEX"] = "1";
  const calls = [
    { name: "Read", arguments: '{"path":"a"}', id: "call_a" },
    { name: "Read", arguments: '{"path":"b"}', id: "call_b" },
  ];
  mock.on({ predicate: afterResults(0) }, { content: "Looking.", toolCalls: calls });
  mock.on(
    { predicate: afterResults(2) },
    { toolCalls: [{ ...calls[0], id: "call_a" }] as typeof calls },
  );
  mock.on({ predicate: afterResults(3) }, { content: "Both are empty." });
  mock.on(
    { userMessage: "think" },
    { content: "Done.", reasoning: "Let me see.", reasoningSignature: "c2ln" },
  );
  await mock.start();
  models = createModels({
    environment: {
      ANTHROPIC_API_KEY: "key-1",
      ANTHROPIC_BASE_URL: mock.url,
      OPENAI_API_KEY: "key-2",
      OPENAI_BASE_URL: `${mock.url}/v1`,
      GEMINI_API_KEY: "key-3",
      GOOGLE_GENERATIVE_AI_BASE_URL: `${mock.url}/v1beta`,
    },
    config: {
      endpoints: {
        vllm: { baseUrl: `${mock.url}/v1` },
        azure: { baseUrl: `${mock.url}/v1`, api: "responses" },
      },
    },
    fetch: checkedFetch,
  });
});

afterAll(async () => {
  await transport.close();
  await mock.stop();
});

beforeEach(() => {
  problems.length = 0;
  bodies.length = 0;
  mock.resetMatchCounts();
});

/** aimock converts every format to chat messages. Its own turn index counts some formats' turns twice. */
function afterResults(count: number): (request: { messages: { role: string }[] }) => boolean {
  return ({ messages }) =>
    JSON.stringify(messages).includes("You read files.") &&
    messages.filter((message) => message.role === "tool").length === count;
}

const references = [
  "anthropic:claude-haiku-5-5",
  "anthropic:claude-haiku-4-5",
  "openai:gpt-4.1",
  "azure:gpt-6-luna",
  "vllm:qwen",
  "google:gemini-2.5-flash",
  "google:gemini-4-argon",
];

describe.each(references)("%s", (reference) => {
  describe.each([true, false])("streamed: %s", (stream) => {
    test("holds a conversation of several turns with parallel calls and pictures", async () => {
      const model = await models.resolve(reference);
      const prompt = [systemMessage("You read files."), userMessage("loop", [image])];
      const next = (): Promise<ModelReply> =>
        askModel(
          model,
          { prompt, tools, effort: "low" },
          { signal: neverAborted(), stream, retries: 0 },
        );

      const first = await next();
      const calls = first.parts.filter((part) => part.type === "tool-call");
      expect(calls.map((call) => [call.tool, call.input])).toEqual([
        ["Read", { path: "a" }],
        ["Read", { path: "b" }],
      ]);
      expect(first.finish).toBe("tool-calls");
      prompt.push(
        assistantMessage(first),
        toolMessage([
          { id: calls[0]?.id ?? "", tool: "Read", text: "", images: [image] },
          { id: calls[1]?.id ?? "", tool: "Read", text: "no such file", isError: true },
        ]),
        userMessage("Look again."),
      );
      const second = await next();
      const again = second.parts.find((part) => part.type === "tool-call");
      expect(again?.id).not.toBe(calls[0]?.id);
      prompt.push(
        assistantMessage(second),
        toolMessage([{ id: again?.id ?? "", tool: "Read", text: "still empty" }]),
      );
      const third = await next();
      expect(third.parts.at(-1)).toMatchObject({ type: "text", text: "Both are empty." });
      expect(third.finish).toBe("stop");
      expect(problems).toEqual([]);
    });
  });
});

describe("the next request to Anthropic", () => {
  test("holds the signature of its reasoning, streamed or not", async () => {
    const model = await models.resolve("anthropic:claude-haiku-5-5");
    for (const stream of [true, false]) {
      const prompt = [userMessage("think")];
      const reply = await ask(model, prompt, stream);
      expect(reply.parts[0]).toMatchObject({ type: "reasoning", text: "Let me see." });
      await ask(model, [...prompt, assistantMessage(reply), userMessage("think more")], stream);
      const messages = (bodies.at(-1) ?? {})["messages"] as { content: unknown[] }[];
      expect(messages[1]?.content[0]).toMatchObject({ type: "thinking", signature: "c2ln" });
    }
  });

  test("marks the instructions and the end of the conversation for its cache", async () => {
    const model = await models.resolve("anthropic:claude-haiku-5-5");
    await ask(model, [systemMessage("Be kind."), userMessage("think"), userMessage("now")], false);
    const [body] = bodies;
    const mark = { cache_control: { type: "ephemeral" } };
    expect(body?.["system"]).toMatchObject([mark]);
    const messages = body?.["messages"] as { content: unknown[] }[];
    expect(messages.at(-1)?.content.at(-1)).toMatchObject(mark);
    expect(body?.["max_tokens"]).toBe(32_000);
  });
});

test("OpenAI's Responses API is asked to store nothing", async () => {
  await ask(await models.resolve("azure:gpt-6-luna"), [userMessage("think")], false);
  expect(bodies[0]).toMatchObject({ store: false });
});

function ask(
  model: Model,
  prompt: Parameters<typeof askModel>[1]["prompt"],
  stream: boolean,
): Promise<ModelReply> {
  return askModel(model, { prompt, tools: [] }, { signal: neverAborted(), stream, retries: 0 });
}

function neverAborted(): AbortSignal {
  return new AbortController().signal;
}
