import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type AnthropicAnswer,
  event,
  type FakeAnthropic,
  firstChunks,
  message,
  messageBody,
  sse,
  startFakeAnthropic,
  status,
  wholeStream,
} from "../../../test/fake-anthropic.ts";
import { eventually } from "../../../test/fixtures/engine-fixture.ts";
import { createFakeClock, type FakeClock } from "../../../test/fixtures/fake-clock.ts";
import { askModel } from "./ask-model.ts";
import { systemMessage, userMessage } from "../conversation.ts";
import { createModels, type Models } from "../provider/create-models.ts";
import type { Model, ModelReply, ModelRequest } from "../model.ts";
import type { RequestOptions, Spent } from "./attempt-request.ts";

const second = 1000;
const request: ModelRequest = {
  prompt: [systemMessage("Be brief."), userMessage("Hello?")],
  tools: [],
};
const hi = message([{ type: "text", text: "Hi." }]);
let server: FakeAnthropic;
let models: Models;
let model: Model;
let clock: FakeClock;
/** The number of reads of the clock, which is read whenever data arrives. */
const clockReads = { count: 0 };
let retries: string[] = [];
let spent: (Spent | undefined)[] = [];

beforeEach(async () => {
  server = await startFakeAnthropic();
  const environment = { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: server.url };
  models = createModels({ environment });
  model = await models.resolve("haiku");
  const fake = createFakeClock();
  clock = Object.create(fake) as FakeClock;
  clock.monotonic = () => {
    clockReads.count += 1;
    return fake.monotonic();
  };
  [retries, spent] = [[], []];
});

afterEach(async () => {
  await models.close();
  server.close();
});

function ask(
  stream: boolean,
  given: Partial<RequestOptions> & { request?: Partial<ModelRequest>; retries?: number } = {},
): Promise<ModelReply> {
  return askModel(
    model,
    { ...request, ...given.request },
    {
      signal: new AbortController().signal,
      stream,
      clock,
      // The tests advance the clock for the limits of a request only.
      sleep: async () => {},
      random: () => 0,
      onRetry: ({ reason }) => retries.push(reason),
      async admit(send) {
        const attempt = await send();
        spent.push(attempt.spent);
        return attempt;
      },
      ...given,
    },
  );
}

/** An answer that the test sends piece by piece. */
function byHand(): { answer: AnthropicAnswer; response: Promise<ServerResponse> } {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  return { answer: resolve, response: promise };
}

/** Writes a piece of a stream and waits until it has arrived. */
async function write(response: ServerResponse, text: string): Promise<void> {
  const before = clockReads.count;
  response.write(text);
  await eventually(() => (clockReads.count > before ? true : undefined));
}

describe("a reply that is not streamed", () => {
  test("may take as long as the output limit implies", async () => {
    const { answer, response } = byHand();
    server.answers = [answer];
    const asking = ask(false);
    const held = await response;
    // 32,000 tokens, at 20 a second.
    clock.advance(1599 * second);
    hi(held, held.req);
    expect((await asking).parts).toEqual([{ type: "text", text: "Hi." }]);
    expect(clock.pending).toBe(0);
  });

  test.each([
    ["the time that its length gives it", {}, {}, 1600],
    ["ten minutes, where its length is bounded", {}, { maxOutputTokens: 1000 }, 600],
    ["the limit", { stallMs: second, replyMs: 700 * second }, {}, 700],
  ])("that does not arrive in %s is retried", async (_, limits, asked, seconds) => {
    const { answer, response } = byHand();
    server.answers = [answer, hi];
    const given = { request: asked, ...("stallMs" in limits && { limits }) };
    const asking = ask(false, given);
    await response;
    clock.advance(seconds * second - 1);
    await nextTurn();
    expect(server.asked).toBe(1);
    clock.advance(1);
    expect((await asking).parts).toEqual([{ type: "text", text: "Hi." }]);
    expect(retries).toEqual([`stalled: nothing arrived for ${seconds} s`]);
  });

  test("is not retried while its bytes arrive", async () => {
    const { answer, response } = byHand();
    server.answers = [answer];
    const asking = ask(false, { request: { maxOutputTokens: 1000 } });
    const held = await response;
    held.writeHead(200, { "content-type": "application/json" });
    for (let round = 0; round < 5; round += 1) {
      clock.advance(500 * second);
      await write(held, " ");
    }
    held.end(JSON.stringify(messageBody([{ type: "text", text: "Hi." }])));
    expect((await asking).parts).toEqual([{ type: "text", text: "Hi." }]);
  });
});

describe("a reply that is streamed", () => {
  test.each([
    ["pings", event({ type: "ping" })],
    ["comments", ": still working\n\n"],
  ])("lives on %s for as long as the model thinks", async (_, sign) => {
    const { answer, response } = byHand();
    server.answers = [answer];
    const asking = ask(true);
    const held = await response;
    held.writeHead(200, { "content-type": "text/event-stream" });
    for (const chunk of firstChunks) await write(held, chunk);
    for (let round = 0; round < 20; round += 1) {
      clock.advance(119 * second);
      await write(held, sign);
    }
    held.end(wholeStream.slice(firstChunks.length).join(""));
    expect((await asking).parts).toEqual([{ type: "text", text: "Hello there" }]);
    expect(retries).toEqual([]);
  });

  test("may be silent longer before it begins than in its middle", async () => {
    const { answer, response } = byHand();
    server.answers = [answer];
    const asking = ask(true);
    const held = await response;
    held.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    clock.advance(599 * second);
    held.end(wholeStream.join(""));
    expect((await asking).parts).toEqual([{ type: "text", text: "Hello there" }]);
  });

  test("that stalls is retried, and its usage is estimated", async () => {
    const { answer, response } = byHand();
    server.answers = [answer, sse(wholeStream, "end")];
    const asking = ask(true, { inputTokens: 1234 });
    const held = await response;
    held.writeHead(200, { "content-type": "text/event-stream" });
    for (const chunk of firstChunks) await write(held, chunk);
    clock.advance(119_999);
    await nextTurn();
    expect(server.asked).toBe(1);
    clock.advance(1);
    expect((await asking).parts).toEqual([{ type: "text", text: "Hello there" }]);
    expect(retries).toEqual(["stalled: nothing arrived for 120 s"]);
    expect(spent).toMatchObject([
      { usage: { inputTokens: 1234, outputTokens: 2 }, isEstimate: true },
      { usage: { inputTokens: 10, outputTokens: 5 }, isEstimate: false },
    ]);
    expect(spent[0]?.cost).toBeGreaterThan(0);
  });

  test("that is aborted is billed for the request and the received part", async () => {
    server.answers = [sse(firstChunks, "hang")];
    const controller = new AbortController();
    const onPiece = (): void => controller.abort(new Error("enough"));
    const asking = ask(true, { signal: controller.signal, onPiece, inputTokens: 100 });
    await expect(asking).rejects.toThrow("enough");
    expect(spent).toMatchObject([
      { usage: { inputTokens: 100, outputTokens: 2 }, isEstimate: true },
    ]);
  });

  test("is cut when it exceeds the output limit", async () => {
    const word = event({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: "and so on " },
    });
    const closed = Promise.withResolvers<void>();
    server.answers = [
      (response) => {
        response.on("close", closed.resolve);
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(firstChunks.join(""));
        const goOn = (): void => {
          if (!response.destroyed) response.write(word.repeat(500), goOn);
        };
        goOn();
      },
    ];
    const reply = await ask(true, { request: { maxOutputTokens: 1000 }, inputTokens: 50 });
    expect(reply.finish).toBe("length");
    expect(reply.usage.inputTokens).toBe(50);
    expect(reply.usage.outputTokens).toBeGreaterThan(1000);
    expect(reply.usage.outputTokens).toBeLessThanOrEqual(1600);
    expect(reply.warnings.join()).toContain("was cut off");
    await closed.promise;
  });
});

test("a refused request costs nothing, and one with a broken connection an estimate", async () => {
  const drop: AnthropicAnswer = (_, incoming) => void incoming.socket.destroy();
  server.answers = [status(529, "overloaded_error", "Overloaded"), drop, hi];
  await ask(false, { inputTokens: 100 });
  expect(spent).toMatchObject([
    undefined,
    { usage: { inputTokens: 100, outputTokens: 0 }, isEstimate: true },
    { usage: { inputTokens: 10, outputTokens: 5 }, isEstimate: false },
  ]);
});

test("a request that stalls at every attempt fails with the limits to raise", async () => {
  const held: Promise<ServerResponse>[] = [];
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { answer, response } = byHand();
    server.answers.push(answer);
    held.push(response);
  }
  const asking = ask(false, { limits: { stallMs: second, replyMs: second }, retries: 1 });
  const failed = expect(asking).rejects.toMatchObject({
    code: "model-error",
    details: { kind: "stalled", attempts: 2 },
    message: expect.stringContaining("limits.replySeconds") as string,
  });
  for (const response of held) {
    await response;
    clock.advance(second);
  }
  await failed;
});
