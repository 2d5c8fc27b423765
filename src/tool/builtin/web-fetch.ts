import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { guardedGet, parseWebAddress, type RequestGuard } from "../web/guarded-request.ts";
import { capOutput } from "../output/output-cap.ts";
import { readToolPrompt } from "./prompt.ts";
import { createTool, type Tool, type ToolContext } from "../tool.ts";

const defaultTimeoutMs = 30_000;

/** Options of the `WebFetch` tool. */
export interface WebFetchOptions extends RequestGuard {
  /** For the whole request, redirects and body included. Default 30 seconds. */
  timeoutMs?: number;
}

const input = z.object({
  url: z.string().min(1).max(8192).describe("http or https"),
  prompt: z.string().optional().describe("What you look for; shown to the user"),
});

/** Creates the `WebFetch` tool. */
export function createWebFetchTool(options: WebFetchOptions = {}): Tool {
  return createTool({
    name: "WebFetch",
    description: readToolPrompt("web-fetch"),
    access: "network",
    input,
    describe({ url, prompt }) {
      const subject = URL.canParse(url) ? new URL(url).href : url;
      const purpose =
        prompt === undefined ? "" : `: ${prompt.replaceAll(/\s+/g, " ").slice(0, 80)}`;
      return { title: `WebFetch ${subject.slice(0, 200)}${purpose}`, subject, paths: [] };
    },
    async execute({ url }, context) {
      return { text: await fetchText(parseWebAddress(url), options, context) };
    },
  });
}

async function fetchText(
  url: URL,
  options: WebFetchOptions,
  context: ToolContext,
): Promise<string> {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([context.signal, timeout]);
  try {
    const answer = await guardedGet(url, options, signal);
    if (answer.type === "other-host") {
      return `${url.href} redirects to another host: ${answer.url.href}\nCall WebFetch with that address if you want it.`;
    }
    return await readAnswer(answer, context);
  } catch (error) {
    if (error instanceof CadreError) throw error;
    if (timeout.aborted)
      throw new CadreError("tool-failed", `${url.href} took longer than ${timeoutMs} ms.`, {
        cause: error,
      });
    const why = error instanceof Error ? error.message || error.name : String(error);
    throw new CadreError("tool-failed", `${url.href} could not be fetched: ${why}.`, {
      cause: error,
    });
  }
}

async function readAnswer(
  answer: Extract<Awaited<ReturnType<typeof guardedGet>>, { type: "response" }>,
  context: ToolContext,
): Promise<string> {
  const { readResponseText } = await import("../web/response-text.ts");
  const { url, response } = answer;
  const status = response.statusCode ?? 0;
  const { text, type } = await readResponseText(response);
  const isHtml = type === "text/html" || type === "application/xhtml+xml";
  const readable = isHtml ? (await import("../web/html-text.ts")).htmlToText(text, url) : text;
  if (status < 200 || status > 299) {
    throw new CadreError(
      "tool-failed",
      `${url.href} answered ${status} ${response.statusMessage ?? ""}.\n${readable.slice(0, 2000)}`,
    );
  }
  return capOutput(`${url.href} (${type}):\n\n${readable}`, context);
}
