import { stringify } from "smol-toml";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { asIs, type FormatWriter } from "../write/format-writer.ts";
import { type ServerWords, writeServerMap } from "../write/write-servers.ts";
import { writeReadOnly } from "../write/write-tools.ts";

const serverWords: ServerWords = {
  allow: "enabled_tools",
  deny: "disabled_tools",
  timeout: ["tool_timeout_sec", 1],
  environment: "env",
  environmentKeys: "env_vars",
  headers: "http_headers",
  url: "url",
};

/** Writes Codex's format. */
export const codexWriter: FormatWriter = {
  extension: ".toml",
  fields: {
    name: asIs("name"),
    description: asIs("description"),
    model: (model, { lose }) => {
      const [, provider, id] = /^([\w.-]+):(.+)$/.exec(model) ?? [];
      if (provider === "openai" && id !== undefined) return { model: id };
      if (provider !== undefined && id !== undefined)
        return { model: id, model_provider: provider };
      lose(`\`${model}\` is an alias of Cadre and was left out`);
      return {};
    },
    effort: asIs("model_reasoning_effort"),
    tools: writeReadOnly({ sandbox_mode: "read-only" }),
    disallowedTools: (denied, context) =>
      denied.length > 0 ? writeReadOnly({ sandbox_mode: "read-only" })(denied, context) : {},
    permissionMode: (mode, { lose }) => {
      if (mode === "plan" || mode === "read-only") return { sandbox_mode: "read-only" };
      lose(`it has no equivalent of \`${mode}\``);
      return {};
    },
    extensions: (extensions, context) => ({
      mcp_servers: writeServerMap(extensions, serverWords, context),
    }),
  },
  render(keys, instructions) {
    const tables = Object.entries(keys).filter(([, value]) => isRecord(value));
    const others = Object.entries(keys).filter(([, value]) => !isRecord(value));
    const text = writeText(instructions);
    const parts = [`${toToml(others)}developer_instructions = ${text}\n`, toToml(tables)];
    return parts.filter((part) => part !== "").join("\n");
  },
};

function toToml(entries: readonly [string, JsonObject[string]][]): string {
  return entries.length === 0 ? "" : `${stringify(Object.fromEntries(entries)).trimEnd()}\n`;
}

/** Writes multi-line text between `'''`, which has no escapes. Escapes other text. */
function writeText(text: string): string {
  const isPlain = !text.includes("'''") && !text.endsWith("'") && !/[^\P{Cc}\n\t]/u.test(text);
  if (isPlain) return `'''\n${text}\n'''`;
  return stringify({ text })
    .trim()
    .replace(/^text = /, "");
}
