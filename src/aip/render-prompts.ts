import { basename } from "node:path";
import { isRecord, type JsonObject, type JsonValue } from "../source/json.ts";
import type { Aip } from "./document/aip.ts";
import type { AipMessage } from "./location/aip-port.ts";
import type { AipSession } from "./aip-session.ts";
import { readablePath } from "./host/resolve-path.ts";
import { pathKind } from "./location/resolve-aip.ts";
import { errorMessage } from "../error-message.ts";

/** The rendered prompts for a model. */
export interface RenderedPrompts {
  system: string;
  isSystemCached: boolean;
  messages: AipMessage[];
}

/**
 * Renders an agent's prompts for one input and omits empty ones. Attached files come first.
 *
 * @throws Error `file.aip:LINE (# Section): message` for an invalid template.
 */
export async function renderPrompts(
  session: AipSession,
  data: JsonObject,
  attachments: JsonValue,
  input: number,
): Promise<RenderedPrompts> {
  const { aip, pool, signal } = session;
  const templates = templatesOf(aip);
  const isPlain = templates.every((template) => !template.includes("{{"));
  const outcome = isPlain
    ? ({ type: "texts", texts: templates } as const)
    : await pool.execute({ type: "render", templates, data }, refuseCalls, signal);
  if (outcome.type === "failure") throw templateError(session, outcome.message, outcome.index ?? 0);
  const texts = outcome.type === "texts" ? outcome.texts : [];
  const rendered: RenderedPrompts = {
    system: "",
    isSystemCached: false,
    messages: await attach(session, attachments, input),
  };
  for (const [index, { role }] of aip.prompts.entries()) {
    const text = texts[index * 2] ?? "";
    if (text.trim() === "") continue;
    const isCached = isCacheMark(texts[index * 2 + 1] ?? "");
    if (role === "system") {
      rendered.system += `${rendered.system === "" ? "" : "\n"}${text.trim()}\n`;
      rendered.isSystemCached ||= isCached;
    } else rendered.messages.push({ role, text, isCached });
  }
  return rendered;
}

async function refuseCalls(name: string): Promise<never> {
  throw new Error(`templates cannot call functions, got ${name}`);
}

/** Reports whether the marks contain `cache = true`, with or without braces. */
function isCacheMark(marks: string): boolean {
  return /(?:^|[{,\s])cache\s*=\s*true\b/.test(marks);
}

function templateError({ aip }: AipSession, message: string, index: number): Error {
  const { line, title, text } = placeTemplateError(aip, message, index);
  return new Error(`${basename(aip.path)}:${line}${title}: ${text}`);
}

/** Returns each prompt's template, followed by the template of the marks in its heading. */
export function templatesOf({ prompts }: Pick<Aip, "prompts">): string[] {
  return prompts.flatMap(({ template, marks }) => [template, marks ?? ""]);
}

/** Returns the place and the text of an error in the template with index `index` of {@link templatesOf}. */
export function placeTemplateError(
  { prompts }: Pick<Aip, "prompts">,
  message: string,
  index: number,
): { line: number; title: string; text: string } {
  const prompt = prompts[Math.floor(index / 2)];
  const titles = { system: "# System", user: "# Instruction", assistant: "# Assistant" } as const;
  const [, line, otherLine] = /line (\d+)|- (\d+):\d+$/i.exec(message) ?? [];
  // A template that ends too early fails at the end of its text, not on the empty lines after it.
  const length = prompt?.template.trimEnd().split("\n").length ?? 0;
  const inside = index % 2 === 1 ? 0 : Math.min(Number(line ?? otherLine ?? 0), length);
  return {
    line: (prompt?.line ?? 1) + inside,
    title: prompt === undefined ? "" : ` (${titles[prompt.role]})`,
    text: message
      .replaceAll(/\s*\n\s*/g, " ")
      .replace(/^Parse error on line \d+: ?/, "Parse error: ")
      .replace(/ - \d+:\d+$/, ""),
  };
}

async function attach(
  session: AipSession,
  attachments: JsonValue,
  input: number,
): Promise<AipMessage[]> {
  const list = Array.isArray(attachments) ? attachments : attachments === null ? [] : [attachments];
  return Promise.all(list.map((item) => attachFile(session, item, input)));
}

async function attachFile(
  session: AipSession,
  item: JsonValue,
  input: number,
): Promise<AipMessage> {
  const {
    file_source: source,
    file_name: given,
    title: label,
  } = isRecord(item) ? item : { file_source: item };
  if (typeof source !== "string")
    throw new Error(
      `${basename(session.aip.path)} (# Data): expected attachments to be tables with a file_source`,
    );
  const { port, location, signal } = session;
  const message = { role: "user", isCached: false } as const;
  try {
    const context = { port, location, signal, input, key: "" };
    const attachment = await readablePath(source, context);
    if ((await pathKind(attachment)) !== "file") throw new Error(`there is no file ${attachment}`);
    const name = typeof given === "string" ? given : basename(attachment);
    const title = typeof label === "string" ? `File title: ${label}\n` : "";
    const text = `Attached file\nFile path: ${source}\nFile name: ${name}\n${title}`;
    return { ...message, text, attachment };
  } catch (error) {
    // As in AIPack, the model gets the error.
    const reason = errorMessage(error);
    return { ...message, text: `The file ${source} cannot be attached: ${reason}` };
  }
}
