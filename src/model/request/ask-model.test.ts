import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  cutBody,
  drop,
  event,
  type FakeAnthropic,
  firstChunks,
  message,
  messageBody,
  raw,
  redirect,
  sse,
  messageStart,
  startFakeAnthropic,
  status,
  wholeStream,
} from "../../../test/fake-anthropic.ts";
import { type AskOptions, askModel } from "./ask-model.ts";
import { systemMessage, userMessage } from "../conversation.ts";
import { createModels, type Models } from "../provider/create-models.ts";
import type { Model, ModelReply, ModelRequest, ReplyPiece } from "../model.ts";

const secret = "sk-ant-very-secret-key";
const request: ModelRequest = {
  prompt: [systemMessage("Be brief."), userMessage("Hello?")],
  tools: [],
};
let server: FakeAnthropic;
let delays: number[] = [];
let retries: string[] = [];
let model: Model;
let models: Models;

beforeEach(async () => {
  delays = [];
  retries = [];
  server = await startFakeAnthropic();
  models = createModels({
    environment: { ANTHROPIC_API_KEY: secret, ANTHROPIC_BASE_URL: server.url },
  });
  model = await models.resolve("haiku");
});

afterEach(async () => {
  await models.close();
  server.close();
});

describe("a transient failure is retried:", () => {
  test.each([
    ["too many requests", status(429, "rate_limit_error", "slow down")],
    ["an overloaded provider", status(529, "overloaded_error", "Overloaded")],
    ["a broken server", status(500, "api_error", "oops")],
    ["a timeout", status(408, "timeout", "late")],
    ["a conflict", status(409, "conflict", "again")],
    ["a gateway's page", raw(502, "text/html", "<html>Bad gateway</html>")],
    ["no JSON", raw(200, "application/json", "<html>maintenance</html>")],
    ["JSON that breaks off", raw(200, "application/json", '{"type":"message","content":[{"ty')],
    ["nothing at all", raw(200, "application/json", "")],
    ["a dropped connection", drop],
    ["an empty reply", message([])],
    ["a body that breaks off", cutBody],
  ])("%s", async (_, failure) => {
    server.answers = [failure, message([{ type: "text", text: "Hi." }])];
    const reply = await ask({ stream: false });
    expect(reply.parts).toEqual([{ type: "text", text: "Hi." }]);
    expect([server.asked, delays.length, retries.length]).toEqual([2, 1, 1]);
  });

  test.each([
    ["an overloaded provider", status(529, "overloaded_error", "Overloaded")],
    ["a dropped connection", drop],
    ["a socket that drops after the first chunk", sse(firstChunks, "drop")],
    ["a stream that ends too early", sse(firstChunks, "end")],
    ["a stream with a line that is no JSON", sse([...firstChunks, "data: {oops\n\n"], "end")],
    [
      "an error in the stream",
      sse(
        [
          ...firstChunks,
          event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
        ],
        "end",
      ),
    ],
    ["an empty stream", sse([], "end")],
  ])("streaming, %s", async (_, failure) => {
    server.answers = [failure, sse(wholeStream, "end")];
    const texts: string[] = [];
    const reply = await ask({ stream: true, onPiece: ({ text }) => texts.push(text) });
    expect(reply.parts).toEqual([{ type: "text", text: "Hello there" }]);
    expect(texts.slice(-2)).toEqual(["Hello", " there"]);
    expect([server.asked, retries.length]).toEqual([2, 1]);
  });
});

describe("a permanent failure is reported at once:", () => {
  test.each([
    [
      status(401, "authentication_error", `invalid x-api-key ${secret}`),
      "model-unavailable",
      "key-refused",
      /The key in ANTHROPIC_API_KEY was refused by 127\.0\.0\.1:\d+ \(HTTP 401\)/,
    ],
    [
      status(403, "permission_error", "no"),
      "model-unavailable",
      "forbidden",
      /may not use anthropic:claude-haiku-5-5/,
    ],
    [
      status(404, "not_found_error", "model: x"),
      "model-unavailable",
      "not-found",
      /no model anthropic:claude-haiku-5-5/,
    ],
    [
      status(400, "invalid_request_error", "temperature: bad"),
      "model-error",
      "bad-request",
      /temperature: bad/,
    ],
    [
      status(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
      "model-error",
      "context-overflow",
      /too long/,
    ],
    [
      status(400, "invalid_request_error", "input and max_tokens exceed context limit: 9 + 9 > 9"),
      "model-error",
      "context-overflow",
      /too long/,
    ],
    [
      status(413, "request_too_large", "Request exceeds the maximum size"),
      "model-error",
      "context-overflow",
      /too long/,
    ],
    [
      status(400, "invalid_request_error", "Your credit balance is too low"),
      "model-error",
      "out-of-credit",
      /no credit left/,
    ],
    [
      status(429, "insufficient_quota", "You exceeded your current quota"),
      "model-error",
      "out-of-credit",
      /Add credit/,
    ],
    [redirect, "model-error", "redirected", /Set the base URL/],
  ] as const)("%#: %s %s", async (failure, code, kind, text) => {
    server.answers = [failure];
    const error = await failureOf(ask({ stream: false }));
    expect(error).toMatchObject({ code, details: { kind, attempts: 1 } });
    expect(error.message).toMatch(text);
    expect(server.asked).toBe(1);
  });

  test("a requested wait that is too long", async () => {
    server.answers = [status(429, "rate_limit_error", "later", { "retry-after": "3600" })];
    const error = await failureOf(ask({ stream: false }));
    expect(error.message).toContain("asks to wait 3600 seconds");
    expect(delays).toEqual([]);
  });
});

test("waits with full jitter, longer each time, and gives up after the configured retries", async () => {
  server.answers = [status(500, "api_error", "oops")];
  const error = await failureOf(ask({ stream: false, retries: 8 }));
  expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
  expect(error).toMatchObject({ code: "model-error", details: { attempts: 9, status: 500 } });
  expect(error.message).toContain("after 9 attempts (HTTP 500): oops");
});

test.each([
  [{ "retry-after": "7" }, 7_250],
  [{ "retry-after-ms": "1500" }, 1_750],
])("a storm of 429 waits as long as the provider asks: %j", async (headers, delay) => {
  const failure = status(429, "rate_limit_error", "slow", headers);
  server.answers = [failure, failure, message([{ type: "text", text: "Hi." }])];
  await ask({ stream: false });
  expect(delays).toEqual([delay, delay + 250]);
});

test("no message, retry or detail contains the key", async () => {
  server.answers = [status(500, "api_error", `bad key ${secret}`)];
  const error = await failureOf(ask({ stream: false }));
  const seen = JSON.stringify([error.message, error.details, retries, String(error.cause), model]);
  expect(seen).toContain("bad key [key]");
  expect(seen).not.toContain(secret);
});

describe("an abort", () => {
  test("in the middle of a stream rejects with its reason and keeps the reported text", async () => {
    server.answers = [sse(firstChunks, "hang")];
    const controller = new AbortController();
    let partial = "";
    const onPiece = ({ text }: ReplyPiece): void => {
      partial += text;
      controller.abort(new Error("enough"));
    };
    await expect(ask({ stream: true, onPiece, signal: controller.signal })).rejects.toThrow(
      "enough",
    );
    expect(partial).toBe("Hello");
    expect(retries).toEqual([]);
  });

  test("rejects at once while a server sends an occasional byte", async () => {
    const controller = new AbortController();
    server.answers = [
      (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.write("{");
        setImmediate(() => controller.abort(new Error("stalled")));
      },
    ];
    await expect(ask({ stream: false, signal: controller.signal })).rejects.toThrow("stalled");
  });

  test("during a wait rejects at once", async () => {
    server.answers = [status(500, "api_error", "oops")];
    const controller = new AbortController();
    const asking = askModel(model, request, {
      signal: controller.signal,
      stream: false,
      random: () => 1,
      onRetry: () => controller.abort(new Error("enough")),
    });
    await expect(asking).rejects.toThrow("enough");
  });
});

test("reads a compressed reply", async () => {
  server.answers = [
    (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(gzipSync(JSON.stringify(messageBody([{ type: "text", text: "Hi." }]))));
    },
  ];
  expect((await ask({ stream: false })).parts).toEqual([{ type: "text", text: "Hi." }]);
});

test("refuses a reply of more than 50 MiB without a retry", async () => {
  const chunk = Buffer.alloc(1024 * 1024, "a");
  server.answers = [
    (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const write = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    },
  ];
  const error = await failureOf(ask({ stream: false }));
  expect(error).toMatchObject({ code: "model-error", details: { kind: "response-too-large" } });
  expect(server.asked).toBe(1);
});

test("a streamed call that is cut at the output limit keeps the beginning of its arguments", async () => {
  const start = { type: "tool_use", id: "t1", name: "Write", input: {} };
  const delta = { type: "input_json_delta", partial_json: '{"path": "a' };
  server.answers = [
    sse(
      [
        messageStart,
        event({ type: "content_block_start", index: 0, content_block: start }),
        event({ type: "content_block_delta", index: 0, delta }),
        event({
          type: "message_delta",
          delta: { stop_reason: "max_tokens" },
          usage: { output_tokens: 5 },
        }),
        event({ type: "message_stop" }),
      ],
      "end",
    ),
  ];
  const reply = await ask({ stream: true });
  expect(reply.parts).toEqual([
    { type: "malformed-tool-call", id: "t1", tool: "Write", text: '{"path": "a' },
  ]);
});

test("two hundred streams that drop leave no rejection unhandled", async () => {
  server.answers = [sse(firstChunks, "drop")];
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  const results = await Promise.allSettled(
    Array.from({ length: 200 }, () => ask({ stream: true, retries: 0 })),
  );
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(new Set(results.map((result) => result.status))).toEqual(new Set(["rejected"]));
  expect(unhandled).toEqual([]);
});

function ask(options: Partial<AskOptions> & { stream: boolean }): Promise<ModelReply> {
  return askModel(model, request, {
    signal: new AbortController().signal,
    random: () => 0.5,
    sleep: async (delayMs) => void delays.push(delayMs),
    onRetry: ({ reason }) => retries.push(reason),
    ...options,
  });
}

async function failureOf(asking: Promise<unknown>): Promise<Error & { details: unknown }> {
  return await asking.then(
    () => expect.unreachable("expected a failure"),
    (error: unknown) => error as Error & { details: unknown },
  );
}
