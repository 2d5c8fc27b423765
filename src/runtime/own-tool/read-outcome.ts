import { showImage } from "../../extension/host/read-result.ts";
import { messageOf } from "../../engine/run-failed.ts";
import { isRecord } from "../../source/json.ts";
import { findJsonProblems } from "../../source/json-problem.ts";
import type { ToolOutcome } from "../../tool/tool.ts";

/** The maximum number of losses in a message. */
const maxLosses = 10;

/** Converts the result of the tool `name` to the outcome of its call. */
export function readOutcome(name: string, result: unknown): ToolOutcome {
  if (result === undefined) return { text: `${name} has ended and returned nothing.` };
  if (typeof result === "string") return { text: result || "(no output)" };
  if (isImageResult(result)) return readImages(result);
  return toJsonOutcome(name, result);
}

/** Converts the result of the AI SDK's `toModelOutput`. */
export function readModelOutput(name: string, output: unknown): ToolOutcome {
  const { type, value } = isRecord(output) ? output : { type: undefined, value: undefined };
  switch (type) {
    case "text":
    case "json":
      return readOutcome(name, value);
    case "error-text":
    case "error-json":
      return { ...readOutcome(name, value), isError: true };
    case "execution-denied": {
      const reason = isRecord(output) ? output["reason"] : undefined;
      const why = typeof reason === "string" ? reason : "denied";
      return { text: `${name} was not executed: ${why}`, isError: true };
    }
    case "content":
      return readContent(Array.isArray(value) ? value : []);
    default:
      return { text: `${name}: its toModelOutput returned no output of a model`, isError: true };
  }
}

/** Converts text and image parts; others become a line that names them. */
function readContent(parts: readonly unknown[]): ToolOutcome {
  const images: Image[] = [];
  const lines = parts.map((part) => {
    const { type, text, mediaType, data } = isRecord(part) ? part : { type: typeof part };
    if (type === "text") return String(text);
    const content: unknown = isRecord(data) ? data["data"] : data;
    const base64 = toBase64(content);
    if (base64 === undefined)
      return `[${String(type)}: not shown, because it is not a file with its content]`;
    return showImage({ data: base64, mimeType: String(mediaType) }, images);
  });
  return toOutcome(lines.join("\n"), images);
}

type Image = NonNullable<ToolOutcome["images"]>[number];

interface ImageResult {
  text?: string;
  images: readonly { mediaType?: unknown; data: string | Uint8Array }[];
}

/** Reports whether a result is `{ text?, images }` with at least one image, and nothing else. */
function isImageResult(result: unknown): result is ImageResult {
  if (!isRecord(result)) return false;
  const { text, images, ...others } = result;
  const isText = text === undefined || typeof text === "string";
  if (!Array.isArray(images) || images.length === 0 || !isText) return false;
  return (
    Object.keys(others).length === 0 &&
    images.every((image: unknown) => isRecord(image) && toBase64(image["data"]) !== undefined)
  );
}

function readImages({ text, images: given }: ImageResult): ToolOutcome {
  const images: Image[] = [];
  const lines = given.map(({ mediaType, data }) =>
    showImage({ data: toBase64(data) ?? "", mimeType: String(mediaType) }, images),
  );
  return toOutcome([...(text === undefined ? [] : [text]), ...lines].join("\n"), images);
}

function toOutcome(text: string, images: readonly Image[]): ToolOutcome {
  return { text: text || "(no output)", ...(images.length > 0 && { images }) };
}

function toBase64(data: unknown): string | undefined {
  if (typeof data === "string") return data;
  if (data instanceof Uint8Array) return Buffer.from(data).toString("base64");
  return data instanceof ArrayBuffer ? Buffer.from(data).toString("base64") : undefined;
}

/** Converts a result to JSON. Data that JSON would lose is an error, because the model would not notice the loss. */
function toJsonOutcome(name: string, result: unknown): ToolOutcome {
  const losses: string[] = [];
  const note = function (this: unknown, key: string, value: unknown): unknown {
    const loss = lossOf(value) ?? lossIn(this, key);
    if (loss === undefined) return value;
    if (losses.length < maxLosses) losses.push(`${key || "the result"}: ${loss}`);
    return null;
  };
  try {
    const text = JSON.stringify(result, note);
    return losses.length === 0 ? { text } : refuse(name, losses);
  } catch (error) {
    const [problem = messageOf(error)] = findJsonProblems(result, "the result");
    return refuse(name, [problem]);
  }
}

function lossOf(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${value}`;
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") {
    return `a ${typeof value}`;
  }
  const isLost =
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Promise ||
    value instanceof Error ||
    value instanceof RegExp ||
    value instanceof WeakMap ||
    value instanceof WeakSet ||
    ArrayBuffer.isView(value) ||
    value instanceof ArrayBuffer;
  return isLost ? `a ${value.constructor.name}` : undefined;
}

/** Describes a value that JSON writes as `null`. Only the object or list with the original value shows it. */
function lossIn(holder: unknown, key: string): string | undefined {
  const original: unknown = (holder as Record<string, unknown>)[key];
  if (original instanceof Date && Number.isNaN(original.getTime())) return "an invalid Date";
  return original === undefined && Array.isArray(holder) ? "undefined in a list" : undefined;
}

function refuse(name: string, problems: readonly string[]): ToolOutcome {
  const lines = problems.map((problem) => `\n- ${problem}`).join("");
  const text = `${name} was executed, but its result cannot be shown, because it is not JSON:${lines}`;
  return { text, isError: true };
}
