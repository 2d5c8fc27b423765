import { isRecord } from "../../source/json.ts";
import { describeValue, shorten } from "../../source/read-value.ts";
import { readText } from "./field-readers.ts";
import type { Fields } from "./fields.ts";

/** Words for the parent's model, in the formats that have them. */
const inherited = new Set(["", "inherit", "auto", "default"]);

/**
 * Returns the model in another program's file as `provider:model`, or as written if its provider is unknown. Returns the first
 * model of a list; see {@link readForeignFallbacks}.
 */
export function readForeignModel(fields: Fields): string | undefined {
  const field = fields.written.get("model");
  if (field === undefined) return undefined;
  const { value } = field;
  const written = Array.isArray(value) ? value.find((one) => typeof one === "string") : value;
  if (isRecord(written) && typeof written.model === "string") {
    const { providerID } = written;
    const model = typeof providerID === "string" ? `${providerID}/${written.model}` : written.model;
    return check(fields, model);
  }
  if (Array.isArray(value) || isRecord(value)) {
    if (typeof written === "string") return check(fields, written);
    return refuse(fields, describeValue(value));
  }
  const text = readText(fields, "model");
  return text === undefined ? undefined : check(fields, text);
}

/** Returns the remaining models of a list, from which the program uses the first available one. */
export function readForeignFallbacks({ written }: Fields): string[] | undefined {
  const value = written.get("model")?.value;
  if (!Array.isArray(value) || value.length < 2) return undefined;
  const others = value.slice(value.findIndex((one) => typeof one === "string") + 1);
  const models = others.flatMap((one) =>
    typeof one === "string" && one.length <= maxModelCharacters
      ? (toModelReference(one) ?? [])
      : [],
  );
  return models.filter(isModelName);
}

/** Returns Cadre's reference for `provider/model`, a model id or a display name; `undefined` for the parent's model. */
export function toModelReference(written: string): string | undefined {
  const text = written.trim().replace(/(?:\s*[([][^()[\]]*[)\]])+$|#[\w.-]*$/, "");
  if (inherited.has(text.toLowerCase())) return undefined;
  const [, provider, model] = /^([\w.-]+)\/(\S+)$/.exec(text) ?? [];
  if (provider !== undefined && model !== undefined) return `${provider}:${model}`;
  // Cadre's own references, such as aliases, stay unchanged.
  if (/^[\w.-]+:\S+$/.test(text)) return text;
  const id = text.toLowerCase().replaceAll(/\s+/g, "-");
  if (id.startsWith("claude-")) return `anthropic:${claudeId(id)}`;
  if (/^(?:sonnet|opus|haiku)-\d/.test(id)) return `anthropic:${claudeId(`claude-${id}`)}`;
  if (/^(?:gpt-|o\d|chatgpt-|codex-)/.test(id)) return `openai:${id}`;
  return id.startsWith("gemini-") ? `google:${id}` : id;
}

/**
 * `claude-sonnet-4.5`, `claude-4.5-sonnet` and `claude-4-5-sonnet` become `claude-sonnet-4-5`. Before version 4 the version came
 * first.
 */
function claudeId(id: string): string {
  const [, version = "", family, rest = ""] =
    /^claude-(\d+(?:[.-]\d{1,2})?)-(sonnet|opus|haiku)(.*)$/.exec(id) ?? [];
  if (family === undefined) return id.replaceAll(/(?<=\d)\.(?=\d)/g, "-");
  const plain = version.replace(".", "-");
  if (Number.parseInt(version, 10) >= 4) return `claude-${family}-${plain}${rest}`;
  return `claude-${plain}-${family}${rest === "" ? "-latest" : rest}`;
}

/** The maximum length of a model's name, in characters. */
const maxModelCharacters = 200;

function check(fields: Fields, written: string): string | undefined {
  if (written.length > maxModelCharacters) return refuse(fields, `\`${shorten(written)}\``);
  const model = toModelReference(written);
  if (model === undefined || isModelName(model)) return model;
  return refuse(fields, `\`${shorten(written)}\``);
}

function isModelName(text: string): boolean {
  return /^[\w.:@/+-]+$/.test(text);
}

function refuse(fields: Fields, got: string): undefined {
  const message = `Expected \`model\` to be the name of a model; got ${got}. The parent's model is used.`;
  const fix = "Write one such as `model: claude-sonnet-4-5`, or remove the key.";
  fields.report(["model"], { severity: "warning", code: "model-invalid", message, fix });
}
