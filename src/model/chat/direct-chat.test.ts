import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import { afterEach, describe, expect, test } from "vitest";
import { createModels } from "../provider/create-models.ts";

/** The first request of a model is its client's own. All tests compare it with the second one, which is made directly. */
const references = ["openai:gpt-4.1", "openai:gpt-5.1", "openai:o3", "lab:qwen"] as const;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const tool: LanguageModelV4FunctionTool = {
  type: "function",
  name: "Read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};
const system: LanguageModelV4Message = { role: "system", content: 'Be brief.\n"Quoted" \u2028.' };
const user = (content: string): LanguageModelV4Message => ({
  role: "user",
  content: [{ type: "text", text: content }],
});
const call = (id: string, input: unknown = { path: "a", é: [1, null, { b: true }] }) =>
  ({ type: "tool-call", toolCallId: id, toolName: "Read", input }) as const;
const result = (id: string, type: "text" | "error-text", value: string) =>
  ({ type: "tool-result", toolCallId: id, toolName: "Read", output: { type, value } }) as const;
const textPart = { type: "text", text: "Let me see." } as const;

const conversations: Record<string, LanguageModelV4Prompt> = {
  "one question": [user("Hello?")],
  "instructions and a question": [system, user('Say {"messages":[]} \\ 😀')],
  "tool calls": [
    system,
    user("Read."),
    { role: "assistant", content: [textPart, call("1"), call("2", {})] },
    {
      role: "tool",
      content: [result("1", "text", "A\n"), result("2", "error-text", 'No "path".')],
    },
    { role: "assistant", content: [call("3")] },
    { role: "tool", content: [result("3", "text", "B")] },
    { role: "assistant", content: [textPart, textPart] },
    user("Thank you."),
  ],
};

/** Left to the client. */
const unusual: Record<string, LanguageModelV4Prompt> = {
  "a picture": [
    {
      role: "user",
      content: [
        { type: "text", text: "What is it?" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } },
      ],
    },
  ],
  reasoning: [
    user("Think."),
    { role: "assistant", content: [{ type: "reasoning", text: "Hm." }, textPart] },
    user("Go on."),
  ],
  "data for the provider": [
    user("Think."),
    { role: "assistant", content: [{ ...textPart, providerOptions: { openai: { itemId: "x" } } }] },
    user("Go on."),
  ],
};

const settings: Record<string, Partial<LanguageModelV4CallOptions>> = {
  "no settings": {},
  "a tool": { tools: [tool] },
  "a temperature, a limit and a tool": {
    temperature: 0.2,
    topP: 0.9,
    maxOutputTokens: 500,
    tools: [tool],
  },
  "an effort": { reasoning: "low" },
};

const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };
const message = (fields: object): object => ({
  id: "r1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", ...fields }, finish_reason: "stop" }],
  usage,
});
const calls = [
  { id: "c1", type: "function", function: { name: "Read", arguments: '{"path":"a"}' } },
];

/** Replies that are read directly. */
const plain: Record<string, object> = {
  "a text": message({ content: "Héllo 😀" }),
  "unused fields": message({
    content: "Hi.",
    refusal: null,
    annotations: [],
    tool_calls: [],
    audio: null,
  }),
  "tool calls": {
    ...message({}),
    choices: [
      { index: 0, message: { content: null, tool_calls: calls }, finish_reason: "tool_calls" },
    ],
  },
  "an answer that was cut": {
    ...message({}),
    choices: [{ index: 0, message: { content: "Half" }, finish_reason: "length", logprobs: null }],
  },
  "an unknown end": {
    ...message({}),
    choices: [{ index: 0, message: { content: "Half" }, finish_reason: "eos" }],
  },
  "no end": { ...message({}), choices: [{ index: 0, message: { content: "Half" } }] },
  "detailed usage": {
    ...message({ content: "Hi." }),
    usage: {
      ...usage,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 3, accepted_prediction_tokens: null },
    },
  },
  "a reserved key": message({
    tool_calls: [{ ...calls[0], function: { name: "Read", arguments: '{"__proto__":1}' } }],
  }),
};

/** Replies that the client reads. */
const special: Record<string, object | string> = {
  reasoning: message({ content: "Hi.", reasoning_content: "Hm." }),
  "a refusal": message({ content: null, refusal: "No." }),
  "no usage": { ...message({ content: "Hi." }), usage: undefined },
  "an invalid usage": { ...message({ content: "Hi." }), usage: { prompt_tokens: "many" } },
  "two choices": {
    ...message({}),
    choices: [0, 1].map((index) => ({ index, message: { content: "Hi." }, finish_reason: "stop" })),
  },
  "no choices": { ...message({}), choices: [] },
  "a call that is none": message({ tool_calls: [{ id: "c1", type: "other" }] }),
  "a list as content": message({ content: [{ type: "text", text: "Hi." }] }),
  "no JSON": "<html>Welcome</html>",
  nothing: "",
  "an error": { error: { message: "Too busy", type: "overloaded_error" } },
};

interface Received {
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** Absent = the connection breaks. */
  body?: string;
}

async function open(answer: Answer): Promise<{
  received: Received[];
  resolve(reference: string): Promise<LanguageModelV4>;
}> {
  const received: Received[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url: path, headers } = request;
    received.push({ path, headers, body: await text(request) });
    if (answer.body === undefined) response.destroy();
    else {
      const type = { "content-type": "application/json" };
      response.writeHead(answer.status ?? 200, { ...type, ...answer.headers }).end(answer.body);
    }
  };
  const server = createServer((request, response) => void respond(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const models = createModels({
    environment: { OPENAI_API_KEY: "k1", OPENAI_BASE_URL: baseUrl, LAB_KEY: "k2" },
    config: { endpoints: { lab: { baseUrl, apiKeyEnv: "LAB_KEY" } } },
  });
  closing.push(async () => {
    await models.close();
    server.closeAllConnections();
    server.close();
  });
  return { received, resolve: async (reference) => (await models.resolve(reference)).language };
}

/** What Cadre reads of a reply, or of the error. `isDirect`: the client did not read it. */
async function ask(
  language: LanguageModelV4,
  options: Partial<LanguageModelV4CallOptions>,
): Promise<{ isDirect: boolean; outcome: unknown }> {
  const abortSignal = AbortSignal.timeout(60_000);
  const given = { prompt: [user("Hello?")], abortSignal, ...options };
  try {
    const {
      content,
      finishReason,
      usage: counts,
      warnings,
      request,
    } = await language.doGenerate(given);
    const { raw: _, ...tokens } = counts;
    return {
      isDirect: request === undefined,
      outcome: { content, finishReason, tokens, warnings },
    };
  } catch (error) {
    const failure = error as Error & { [key: string]: unknown };
    const { name, statusCode, responseBody, isRetryable, responseHeaders } = failure;
    const retryAfter = (responseHeaders as Record<string, string> | undefined)?.["retry-after"];
    const answered = { statusCode, responseBody, isRetryable, retryAfter };
    return { isDirect: false, outcome: { name, message: failure.message, ...answered } };
  }
}

const json = (value: object | string): Answer => ({
  body: typeof value === "string" ? value : JSON.stringify(value),
});

describe.each(references)("a request to %s", (reference) => {
  test.each(Object.keys(settings))("is that of the client, byte by byte, with %s", async (name) => {
    const { received, resolve } = await open(json(message({ content: "Hi." })));
    for (const [about, prompt] of Object.entries({ ...conversations, ...unusual })) {
      const language = await resolve(reference);
      const options = { ...settings[name], prompt };
      // Of a model of its own, so that the client makes it.
      const fresh = await open(json(message({ content: "Hi." })));
      const clients = await ask(await fresh.resolve(reference), options);
      await ask(language, options);
      const { isDirect, outcome } = await ask(language, options);
      expect(clients.isDirect).toBe(false);
      expect([about, isDirect]).toEqual([about, about in conversations]);
      expect(outcome).toEqual(clients.outcome);
      const [theirs, ours] = [fresh.received.at(-1), received.at(-1)];
      expect(ours?.body).toBe(theirs?.body);
      expect(ours?.path).toBe(theirs?.path);
      expect({ ...ours?.headers, host: "" }).toEqual({ ...theirs?.headers, host: "" });
    }
  });

  test.each(Object.keys({ ...plain, ...special }))(
    "has the client's outcome when the reply has %s",
    async (name) => {
      const { received, resolve } = await open(json({ ...plain, ...special }[name] ?? ""));
      const language = await resolve(reference);
      const clients = await ask(language, { tools: [tool] });
      const direct = await ask(language, { tools: [tool] });
      expect(direct.outcome).toEqual(clients.outcome);
      expect([clients.isDirect, direct.isDirect]).toEqual([false, name in plain]);
      expect(received).toHaveLength(2);
    },
  );

  test.each([
    ["too many requests", { status: 429, headers: { "retry-after": "7" }, body: "{}" }],
    ["an error with a text", { status: 400, body: '{"error":{"message":"Bad tool."}}' }],
    ["a page", { status: 502, headers: { "content-type": "text/html" }, body: "<p>Bad</p>" }],
    ["an event stream", { headers: { "content-type": "text/event-stream" }, body: "data: {}\n\n" }],
    ["a broken connection", {}],
  ] satisfies [string, Answer][])(
    "has the client's error when the answer is %s",
    async (_, answer) => {
      const { received, resolve } = await open(answer);
      const language = await resolve(reference);
      const clients = await ask(language, {});
      expect(await ask(language, {})).toEqual(clients);
      expect(received).toHaveLength(2);
    },
  );
});

test("a request that is aborted rejects with the client's error", async () => {
  const { received, resolve } = await open(json(message({ content: "Hi." })));
  const language = await resolve("lab:qwen");
  await ask(language, {});
  const gone = { abortSignal: AbortSignal.abort(new DOMException("Stopped.", "AbortError")) };
  expect(await ask(language, gone)).toMatchObject({
    outcome: { name: "AbortError", message: "Stopped." },
  });
  expect(received).toHaveLength(1);
});

test("requests with constantly changing settings are eventually left to the client", async () => {
  const { received, resolve } = await open(json(message({ content: "Hi." })));
  const language = await resolve("lab:qwen");
  const asked: boolean[] = [];
  for (let step = 0; step <= 110; step += 1) {
    asked.push((await ask(language, { temperature: step / 200 })).isDirect);
    expect(JSON.parse(received.at(-1)?.body ?? "")).toMatchObject({ temperature: step / 200 });
  }
  expect(asked.filter(Boolean)).toHaveLength(100);
  expect(asked.at(-1)).toBe(false);
});
