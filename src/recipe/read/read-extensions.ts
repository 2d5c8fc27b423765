import type { ExtensionConfig } from "../../run/extension-config.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import { didYouMean } from "../../source/nearest.ts";
import type { KeyPath } from "../../source/position.ts";
import {
  gooseExtensionNames,
  toGooseName,
  toolsForExtension,
  toolsForGooseTool,
} from "../goose-extension.ts";
import type { RecipeExtension } from "../recipe.ts";
import { describeValue } from "../../source/read-value.ts";
import {
  readNumberKey,
  readRequiredText,
  readSectionsKey,
  readTextKey,
  readTextMap,
  readTextsKey,
  reportIn,
  reportUnknownKeys,
  type Section,
} from "./section.ts";
import { omitUndefined } from "../../omit-undefined.ts";

const shared = [
  "type",
  "name",
  "description",
  "display_name",
  "bundled",
  "available_tools",
  "timeout",
  "enabled",
];
const keysOf: Readonly<Record<string, readonly string[]>> = {
  stdio: ["cmd", "command", "args", "envs", "env_keys", "cwd"],
  streamable_http: ["uri", "envs", "env_keys", "headers", "socket"],
  builtin: [],
  platform: ["version"],
};

/** The unsupported types, and what to write instead. */
const notOffered: Readonly<Record<string, string>> = {
  sse: "Write `type: streamable_http` with the `uri` of a server that supports it.",
  frontend: "Remove it: its tools belong to goose's own user interface.",
  inline_python: "Save the code as a file, and start it as a server: `type: stdio`, `cmd: uvx`.",
};

/** Reads `extensions`; `undefined` when the recipe has none. */
export function readExtensions(recipe: Section): RecipeExtension[] | undefined {
  const read = (item: JsonValue, keys: KeyPath): JsonObject | undefined =>
    readBareName(recipe, item, keys);
  const sections = readSectionsKey(recipe, "extensions", read);
  const extensions: RecipeExtension[] = [];
  for (const section of sections ?? []) {
    const extension = readExtension(section);
    if (extension === null) continue;
    const name = nameOf(extension);
    if (extensions.some((other) => nameOf(other) === name)) {
      const message = `The extension \`${name}\` is listed more than once; the first one is used.`;
      const fix = "Give each its own `name`.";
      reportIn(section, "name", { severity: "warning", code: "extension-repeated", message, fix });
    } else extensions.push(extension);
  }
  return sections === undefined ? undefined : extensions;
}

function nameOf(extension: RecipeExtension): string {
  return extension.kind === "server" ? extension.config.name : extension.name;
}

function readBareName(recipe: Section, item: JsonValue, keys: KeyPath): JsonObject | undefined {
  if (typeof item !== "string") return undefined;
  const name = toGooseName(item);
  if (toolsForExtension(name) === undefined) return { type: "builtin", name };
  const message = `Expected a map, got ${describeValue(item)}, which is read as the extension with that name.`;
  const fix = `Write \`- {type: builtin, name: ${name}}\``;
  recipe.report(keys, { severity: "warning", code: "extension-form", message, fix });
  return { type: "builtin", name };
}

function readExtension(section: Section): RecipeExtension | null {
  const type = readType(section);
  const name = readRequiredText(section, "name", "developer");
  if (name === "") return null;
  if (type === "stdio" || type === "streamable_http") return readServer(section, type, name);
  const fix = notOffered[type];
  if (fix !== undefined) {
    const message = `Extensions of type \`${type}\` are not offered here; \`${name}\` was left out.`;
    reportIn(section, "type", { severity: "warning", code: "extension-not-offered", message, fix });
    return null;
  }
  return readBuiltin(section, type, toGooseName(name));
}

function readType(section: Section): string {
  const type = readTextKey(section, "type");
  const types = [...Object.keys(keysOf), ...Object.keys(notOffered)];
  if (type !== undefined && types.includes(type)) return type;
  const { data } = section;
  const guess =
    "cmd" in data || "command" in data
      ? "stdio"
      : "uri" in data || "url" in data
        ? "streamable_http"
        : "builtin";
  const got = type === undefined ? "nothing" : describeValue(type);
  reportIn(section, type === undefined ? null : "type", {
    severity: "warning",
    code: "extension-type",
    message: `Expected \`type\` to be one of ${types.join(", ")}; got ${got}, and it is read as \`${guess}\`.${didYouMean(type ?? "", types)}`,
    fix: `Write \`type: ${guess}\``,
  });
  return guess;
}

function readBuiltin(section: Section, type: string, name: string): RecipeExtension | null {
  reportUnknownKeys(section, [...shared, ...(keysOf[type] ?? [])]);
  const tools = toolsForExtension(name);
  if (tools === undefined || tools.length === 0) {
    const isKnown = tools !== undefined;
    const what = isKnown ? "is part of goose and not offered here" : "is not a known extension";
    const hint = isKnown ? "" : didYouMean(name, gooseExtensionNames);
    const code = isKnown ? "extension-not-offered" : "extension-unknown";
    const message = `\`${name}\` ${what}; it was left out.${hint}`;
    const fix = "Use an MCP server for it (`type: stdio`), or remove it.";
    reportIn(section, "name", { severity: "warning", code, message, fix });
    return null;
  }
  const availableTools = readTextsKey(section, "available_tools") ?? [];
  if (availableTools.length === 0) return { kind: "builtin", name };
  for (const tool of availableTools.filter((one) => toolsForGooseTool(one).length === 0)) {
    const message = `\`${tool}\` is not a tool offered here for \`${name}\`; it was left out.`;
    reportIn(section, "available_tools", {
      severity: "warning",
      code: "tool-not-offered",
      message,
      fix: null,
    });
  }
  return { kind: "builtin", name, availableTools };
}

function readServer(
  section: Section,
  type: "stdio" | "streamable_http",
  written: string,
): RecipeExtension | null {
  reportUnknownKeys(section, [...shared, ...(keysOf[type] ?? []), "url"]);
  const name = written.trim().replace(/[^\w-]+/g, "_");
  const values = readTextMap(section, "envs");
  const common = { name, ...readCommon(section, written, values) };
  const config =
    type === "stdio" ? readStdio(section, common, values) : readHttp(section, common, values);
  return config === null ? null : { kind: "server", config };
}

type Common = Pick<
  ExtensionConfig,
  "name" | "description" | "timeoutSeconds" | "allow" | "environmentKeys" | "format"
>;
/** The values in `envs`. */
type Values = Readonly<Record<string, string>> | undefined;

function readCommon(section: Section, written: string, values: Values): Omit<Common, "name"> {
  const description = readTextKey(section, "description");
  const timeoutSeconds = readNumberKey(section, "timeout", { min: 1 });
  const available = readTextsKey(section, "available_tools") ?? [];
  // A key with a value in `envs` needs no environment variable.
  const environmentKeys = (readTextsKey(section, "env_keys") ?? []).filter(
    (key) => values === undefined || !Object.hasOwn(values, key),
  );
  return {
    format: "recipe",
    ...(description !== undefined && description !== "" && { description }),
    ...omitUndefined({ timeoutSeconds }),
    ...(available.length > 0 && {
      allow: available.map((tool) =>
        tool.startsWith(`${written}__`) ? tool.slice(written.length + 2) : tool,
      ),
    }),
    ...(environmentKeys.length > 0 && { environmentKeys }),
  };
}

function readStdio(section: Section, common: Common, values: Values): ExtensionConfig | null {
  const key = "command" in section.data && !("cmd" in section.data) ? "command" : "cmd";
  const written = readRequiredText(section, key, "npx").trim();
  if (written === "") return null;
  const given = readTextsKey(section, "args") ?? [];
  const [command = "", ...more] = given.length === 0 ? written.split(/\s+/) : [written];
  if (more.length > 0) {
    const message = `\`${key}\` contains arguments; they are read as \`args\`.`;
    const fix = `Write \`cmd: ${command}\` and \`args: ${JSON.stringify(more)}\``;
    reportIn(section, key, { severity: "warning", code: "command-form", message, fix });
  }
  const cwd = readTextKey(section, "cwd");
  return {
    ...common,
    type: "stdio",
    command,
    args: [...more, ...given],
    ...omitUndefined({ environment: values, cwd }),
  };
}

function readHttp(section: Section, common: Common, values: Values): ExtensionConfig | null {
  const key = "url" in section.data && !("uri" in section.data) ? "url" : "uri";
  const url = readRequiredText(section, key, "https://example.com/mcp");
  if (url === "") return null;
  const headers = readTextMap(section, "headers");
  const write = (text: string): string =>
    writeVariables(text, { values: values ?? {}, names: common.environmentKeys ?? [] });
  const written = Object.entries(headers ?? {}).map(([name, text]) => [name, write(text)]);
  return {
    ...common,
    type: "streamable_http",
    url: write(url),
    ...(headers !== undefined && { headers: Object.fromEntries(written) as typeof headers }),
  };
}

const variable = /\$(?:\{\s*([A-Za-z_]\w*)\s*\}|([A-Za-z_]\w*))/g;

/** Replaces goose's `$NAME` and `${ NAME }` by the recipe's value, otherwise by `${NAME}`. Keeps unknown names. */
function writeVariables(
  text: string,
  { values, names }: { values: Readonly<Record<string, string>>; names: readonly string[] },
): string {
  return text.replaceAll(variable, (whole, braced?: string, plain?: string) => {
    const name = braced ?? plain ?? "";
    if (Object.hasOwn(values, name)) return values[name] ?? "";
    return names.includes(name) ? `\${${name}}` : whole;
  });
}
