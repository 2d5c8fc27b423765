import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type AnthropicAnswer,
  type FakeAnthropic,
  firstChunks,
  message,
  messageBody,
  raw,
  sse,
  startFakeAnthropic,
  wholeStream,
} from "../../../test/fake-anthropic.ts";
import { askModel } from "../request/ask-model.ts";
import { userMessage } from "../conversation.ts";
import { createModels, type Models } from "../provider/create-models.ts";
import type { ModelReply } from "../model.ts";

let server: FakeAnthropic;
let models: Models;

beforeEach(async () => {
  server = await startFakeAnthropic();
  const { url } = server;
  models = createModels({
    environment: {
      ANTHROPIC_API_KEY: "key",
      ANTHROPIC_BASE_URL: url,
      GEMINI_API_KEY: "key",
      GOOGLE_GENERATIVE_AI_BASE_URL: url,
      OPENAI_API_KEY: "key",
      OPENAI_BASE_URL: url,
    },
    config: {
      endpoints: { gateway: { baseUrl: url }, responses: { baseUrl: url, api: "responses" } },
    },
  });
});

afterEach(async () => {
  await models.close();
  server.close();
});

async function ask(reference: string, stream: boolean, retries = 0): Promise<ModelReply> {
  const signal = new AbortController().signal;
  const prompt = [userMessage("Hello?")];
  const options = { signal, stream, retries, random: () => 0 };
  return await askModel(await models.resolve(reference), { prompt, tools: [] }, options);
}

const haiku = "anthropic:claude-haiku-5-5";
const references = [
  haiku,
  "openai:gpt-4.1",
  "responses:gpt-4.1",
  "gateway:qwen",
  "google:gemini-4-argon",
];

describe.each(references)("of %s, an error with status 200", (reference) => {
  test.each([
    [{ type: "overloaded_error", message: "Too busy" }, "overloaded", 2],
    [{ code: 429, message: "Slow down", status: "RESOURCE_EXHAUSTED" }, "rate-limited", 2],
    [{ code: "server_error", message: "Oops" }, "server-error", 2],
    [{ type: "invalid_request_error", message: "No such setting" }, "bad-request", 1],
    [{ code: "invalid_api_key", message: "Wrong key" }, "key-refused", 1],
  ])(
    "is one: %j",
    async (error, kind, attempts) => {
      const body = JSON.stringify({ error });
      const bodies: [boolean, AnthropicAnswer][] = [
        [false, raw(200, "application/json", body)],
        [true, raw(200, "application/json", body)],
        [true, sse([": connected\n\n", `data: ${body}\n\n`], "end")],
      ];
      for (const [stream, answer] of bodies) {
        server.answers = [answer];
        const failed = ask(reference, stream, 1);
        await expect(failed).rejects.toMatchObject({ details: { kind, attempts } });
        await expect(failed).rejects.toThrow(error.message);
      }
    },
    30_000,
  );
});

test("an error in the middle of a stream is classified by its name", async () => {
  const error = { type: "error", error: { type: "rate_limit_error", message: "Slow down" } };
  server.answers = [
    sse([...firstChunks, `event: error\ndata: ${JSON.stringify(error)}\n\n`], "end"),
  ];
  await expect(ask(haiku, true)).rejects.toMatchObject({ details: { kind: "rate-limited" } });
});

test("a reply about errors is not an error", async () => {
  const text = '{"error": {"type": "overloaded_error"}}';
  server.answers = [message([{ type: "text", text }])];
  expect((await ask(haiku, false)).parts).toEqual([{ type: "text", text }]);
});

describe.each([
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["x-gzip", gzipSync],
  ["gzip, br", (text: string) => brotliCompressSync(gzipSync(text))],
] as const)("compressed with %s,", (encoding, compress) => {
  const answer =
    (type: string, text: string, cut = Infinity): AnthropicAnswer =>
    (response) => {
      response.writeHead(200, { "content-type": type, "content-encoding": encoding });
      response.end(compress(text).subarray(0, cut));
    };

  test("a reply and a stream are read", async () => {
    const whole = JSON.stringify(messageBody([{ type: "text", text: "Hi." }]));
    server.answers = [
      answer("application/json", whole),
      answer("text/event-stream", wholeStream.join("")),
    ];
    expect((await ask(haiku, false)).parts).toEqual([{ type: "text", text: "Hi." }]);
    expect((await ask(haiku, true)).parts).toEqual([{ type: "text", text: "Hello there" }]);
  });

  test("one that breaks off is retried", async () => {
    const whole = JSON.stringify(messageBody([{ type: "text", text: "Hi." }]));
    for (const stream of [false, true]) {
      const type = stream ? "text/event-stream" : "application/json";
      server.answers = [answer(type, stream ? wholeStream.join("") : whole, 30)];
      await expect(ask(haiku, stream, 1)).rejects.toMatchObject({
        details: {
          kind: expect.stringMatching(/^(?:network|truncated|malformed)$/) as string,
          attempts: 2,
        },
      });
    }
  });
});

const made = '{"path": "a", "__proto__": {"isAdmin": true}, "constructor": {"prototype": {}}}';

describe("a call with reserved names among its arguments is read like any other,", () => {
  test.each([
    [
      "not streamed",
      false,
      `{"type":"message","id":"m","model":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Read","input":${made}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1},"__proto__":{"a":1}}`,
    ],
  ])("of Anthropic, %s", async (_, stream, body) => {
    server.answers = [raw(200, "application/json", body)];
    expectMade(await ask(haiku, stream));
  });

  test.each([false, true])("of Google, streamed: %s", async (stream) => {
    const spelled = made.replace("__proto__", String.raw`\u005f_proto__`);
    const body = `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"Read","args":${spelled}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`;
    const half = body.indexOf("proto__") + 3;
    server.answers = [
      stream
        ? sse([`data: ${body.slice(0, half)}`, `${body.slice(half)}\n\n`], "end")
        : raw(200, "application/json", body),
    ];
    expectMade(await ask("google:gemini-4-argon", stream));
  });

  test.each([false, true])("of OpenAI, streamed: %s", async (stream) => {
    const call = {
      index: 0,
      id: "t",
      type: "function",
      function: { name: "Read", arguments: made },
    };
    const delta = { role: "assistant", content: null, tool_calls: [call] };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const chunk = (choice: object): string =>
      JSON.stringify({ id: "c", choices: [{ index: 0, ...choice }], usage });
    server.answers = [
      stream
        ? sse(
            [
              `data: ${chunk({ delta })}\n\n`,
              `data: ${chunk({ delta: {}, finish_reason: "tool_calls" })}\n\n`,
            ],
            "end",
          )
        : raw(200, "application/json", chunk({ message: delta, finish_reason: "tool_calls" })),
    ];
    expectMade(await ask("gateway:qwen", stream));
  });

  function expectMade(reply: ModelReply): void {
    const [part] = reply.parts;
    expect(part).toMatchObject({ type: "tool-call", tool: "Read" });
    const input = part?.type === "tool-call" ? (part.input as object) : {};
    expect(Object.keys(input)).toEqual(["path", "__proto__", "constructor"]);
    expect(JSON.stringify(input)).toBe(JSON.stringify(JSON.parse(made)));
    expect(({} as Record<string, unknown>)["isAdmin"]).toBeUndefined();
  }
});
