// Plain requests in OpenAI's chat protocol, made without the provider's client.

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
} from "@ai-sdk/provider";
import { lightResponse, wholeBody } from "../transport/light-response.ts";
import { toChatMessages } from "./chat-messages.ts";
import { readChatReply } from "./chat-reply.ts";
import type { InterceptedFetch } from "./intercepted-fetch.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { learnForm, type RequestForm } from "./request-form.ts";

/** The settings of a plain request. A request with any other setting is left to the client. */
const settings: ReadonlySet<string> = new Set([
  "prompt",
  "tools",
  "temperature",
  "topP",
  "reasoning",
  "maxOutputTokens",
  "abortSignal",
  "headers",
]);

/** The maximum number of forms. It covers the settings of a project's agents. */
const maxForms = 100;

/** The key of requests without tools, which also need a list of tools. */
const noTools: object = [];

type Generate = LanguageModelV4["doGenerate"];

/**
 * Makes plain requests of `client`, a client of OpenAI's chat protocol, without using the client: unstreamed requests with texts
 * and tool calls only. The client costs more CPU time than everything else in a step. It still shows the form of a request
 * ({@link learnForm}), and it reads every response that is not a plain reply, so errors are the client's own.
 * The first request is left to the client, so that a program with a single request does not wait for the form.
 */
export function createDirectChat(
  client: LanguageModelV4,
  { fetch, intercept }: InterceptedFetch,
): LanguageModelV4 {
  const forms = new WeakMap<object, Map<string, Promise<RequestForm | undefined>>>();
  let hasAsked = false;
  let learned = 0;

  function formOf(
    options: LanguageModelV4CallOptions,
  ): Promise<RequestForm | undefined> | undefined {
    const { tools = noTools, temperature, topP, reasoning, maxOutputTokens } = options;
    const ofTools = forms.get(tools) ?? new Map<string, Promise<RequestForm | undefined>>();
    forms.set(tools, ofTools);
    const key = JSON.stringify([temperature, topP, reasoning, maxOutputTokens]);
    const known = ofTools.get(key);
    if (known !== undefined || learned >= maxForms) return known;
    learned += 1;
    // A client that cannot make the sample makes the request itself.
    const form = learnForm(client, { ...options, headers: {} }, { intercept }).catch(
      () => undefined,
    );
    ofTools.set(key, form);
    return form;
  }

  const generate: Generate = async (options) => {
    const { prompt, abortSignal: signal, headers: own } = options;
    const form = await formOf(options);
    const messages = form && toChatMessages(prompt, form.dialect);
    if (form === undefined || messages === undefined || signal === undefined) {
      return await client.doGenerate(options);
    }
    const body = `${form.before}${JSON.stringify(messages)}${form.after}`;
    const { url, warnings } = form;
    const headers = own === undefined ? form.headers : { ...form.headers, ...omitUndefined(own) };
    const received = await receive(fetch(url, { method: "POST", headers, body, signal }));
    if ("reply" in received) return { ...received.reply, warnings: [...warnings] };
    intercept(signal, received.respond);
    return await client.doGenerate(options);
  };

  return {
    specificationVersion: "v4",
    provider: client.provider,
    modelId: client.modelId,
    supportedUrls: client.supportedUrls,
    doGenerate(options) {
      const isFirst = !hasAsked;
      hasAsked = true;
      return isFirst || !isPlain(options) ? client.doGenerate(options) : generate(options);
    },
    doStream: (options) => client.doStream(options),
  };
}

function isPlain(options: LanguageModelV4CallOptions): boolean {
  return Object.keys(options).every((name) => settings.has(name));
}

type Received =
  | { reply: Omit<LanguageModelV4GenerateResult, "warnings"> }
  /** Passes the response to the client to read. */
  | { respond: () => Promise<Response> };

function receive(sent: Promise<Response>): Promise<Received> {
  return sent.then(read).catch((error: unknown) => ({ respond: () => Promise.reject(error) }));
}

function read(response: Response): Received | Promise<Received> {
  if (!response.ok) return { respond: async () => response };
  // An event stream has no whole body.
  const whole = wholeBody(response);
  if (whole !== undefined) return readBody(response, whole);
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (isStream) return { respond: async () => response };
  return response.bytes().then((body) => readBody(response, body));
}

function readBody({ status, statusText, url, headers }: Response, body: Uint8Array): Received {
  const reply = readChatReply(Buffer.from(body.buffer, body.byteOffset, body.length).toString());
  if (reply !== undefined) return { reply };
  const parts = { status, statusText, url, headers: Object.fromEntries(headers), body };
  return { respond: async () => lightResponse(parts) };
}
