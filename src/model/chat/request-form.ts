import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { isRecord } from "../../source/json.ts";
import { LightHeaders } from "../transport/light-headers.ts";
import { lightResponse } from "../transport/light-response.ts";
import { type ChatDialect, toChatMessages } from "./chat-messages.ts";
import type { InterceptedFetch } from "./intercepted-fetch.ts";

/** The form of a client's requests that differ only in their messages. */
export interface RequestForm {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The JSON before and after the list of messages. */
  before: string;
  after: string;
  dialect: ChatDialect;
  /** The client's warnings about the settings of such a request. */
  warnings: readonly SharedV4Warning[];
}

/**
 * Learns the form of requests with the settings of `options` from the client's request for a sample. Returns `undefined` if the
 * client writes the sample's messages differently from {@link toChatMessages}.
 */
export async function learnForm(
  client: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  { intercept }: Pick<InterceptedFetch, "intercept">,
): Promise<RequestForm | undefined> {
  const { signal } = new AbortController();
  let request: { url: string; init: RequestInit } | undefined;
  intercept(signal, async (input, init) => {
    const url = typeof input === "string" ? input : input instanceof URL ? input.href : input.url;
    request = { url, init };
    return lightResponse({ status: 200, statusText: "OK", headers: {}, url, body: sampleReply });
  });
  const { warnings } = await client.doGenerate({ ...options, prompt: sample, abortSignal: signal });
  const body = request?.init.body;
  if (request === undefined || typeof body !== "string") return undefined;
  const { url, init } = request;
  const headers = Object.fromEntries(new LightHeaders(init.headers));
  const parts = divide(body);
  return parts === undefined ? undefined : { url, headers, warnings, ...parts };
}

/** Splits the JSON of the sample request at its messages. */
function divide(body: string): Pick<RequestForm, "before" | "after" | "dialect"> | undefined {
  const parsed: unknown = JSON.parse(body);
  const list: unknown = isRecord(parsed) ? parsed["messages"] : undefined;
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  const systemRole = isRecord(first) ? first["role"] : undefined;
  if (typeof systemRole !== "string") return undefined;
  for (const wrapsErrors of [true, false]) {
    const dialect = { systemRole, wrapsErrors };
    const [before, after] = body.split(JSON.stringify(toChatMessages(sample, dialect)));
    if (before !== undefined && after !== undefined) return { before, after, dialect };
  }
  return undefined;
}

/** A conversation with every kind of message that {@link toChatMessages} converts. */
const sample: LanguageModelV4Prompt = [
  { role: "system", content: "These are the instructions." },
  { role: "user", content: [{ type: "text", text: "Do it." }] },
  {
    role: "assistant",
    content: [
      { type: "text", text: "I begin" },
      { type: "text", text: " now." },
      {
        type: "tool-call",
        toolCallId: "call_1",
        toolName: "Read",
        input: { path: "a", lines: [1] },
      },
      { type: "tool-call", toolCallId: "call_2", toolName: "Read", input: {} },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "call_1",
        toolName: "Read",
        output: { type: "text", value: "A" },
      },
      {
        type: "tool-result",
        toolCallId: "call_2",
        toolName: "Read",
        output: { type: "error-text", value: "There is no path." },
      },
    ],
  },
  {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "call_3", toolName: "Read", input: { path: "b" } }],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "call_3",
        toolName: "Read",
        output: { type: "text", value: "B" },
      },
    ],
  },
  { role: "assistant", content: [{ type: "text", text: "It is done." }] },
  { role: "user", content: [{ type: "text", text: "Thank you." }] },
];

const sampleReply = Buffer.from(
  JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }],
  }),
);
