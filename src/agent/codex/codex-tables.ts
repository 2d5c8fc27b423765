import { isRecord, type JsonValue } from "../../source/json.ts";
import type { Fields } from "../fields/fields.ts";
import type { ToolChoice } from "../tools/tool-choice.ts";
import { readDisallowedTools, readToolChoice } from "../tools/tool-list.ts";
import { reportWithoutEffect } from "../fields/without-effect.ts";

/** The settings of Codex's table `[tools]`. */
const toolSettings: ReadonlySet<string> = new Set([
  "web_search",
  "web_search_request",
  "view_image",
]);

/**
 * Returns the fields without Codex's own tables whose names are restrictions elsewhere: `[agents]` with limits for all agents,
 * and `[permissions.NAME]` with profiles.
 */
export function withoutTables(fields: Fields): Fields {
  const tables = [...fields.written].flatMap(([name, { value }]) => {
    const isTable = name === "agents" ? isRecord(value) : isProfiles(value);
    return (name === "agents" || name === "permissions") && isTable ? [name] : [];
  });
  reportWithoutEffect(fields, tables, "info");
  const written = [...fields.written].filter(([name]) => !tables.includes(name));
  return { ...fields, written: new Map(written) };
}

/** Reports whether a value holds tables of settings, and not effects by pattern such as `{ bash = { "git *" = "allow" } }`. */
function isProfiles(value: JsonValue): boolean {
  if (!isRecord(value)) return false;
  const inner = Object.values(value);
  const isEffect = (one: JsonValue): boolean => one === "allow" || one === "ask" || one === "deny";
  return (
    inner.length > 0 && inner.every((one) => isRecord(one) && !Object.values(one).every(isEffect))
  );
}

/** Reads `tools`: a table holds Codex's settings, and a list names tools, as in other formats. */
export function readCodexTools(fields: Fields): ToolChoice {
  const { key = "tools", value } = fields.written.get("tools") ?? {};
  if (!isRecord(value)) return readToolChoice(fields);
  const others = Object.keys(value).filter((name) => !toolSettings.has(name));
  if (others.length === 0) reportWithoutEffect(fields, ["tools"], "info");
  for (const name of others) {
    const message = `\`${key}.${name}\` is not a setting of Codex, so it would have no effect.`;
    const fix = 'Write `disallowed_tools = ["shell"]` to deny tools to the agent.';
    fields.report([key, name], { severity: "error", code: "unknown-key", message, fix });
  }
  return readDisallowedTools(fields);
}
