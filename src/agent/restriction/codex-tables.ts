import { isRecord, type JsonValue } from "../../source/json.ts";
import type { Fields } from "../fields.ts";
import type { ToolChoice } from "../tool-choice.ts";
import { readDisallowedTools, readToolChoice } from "../tool-list.ts";
import { reportWithoutEffect } from "../without-effect.ts";

/** What Codex has in its table `[tools]`. */
const toolSettings: ReadonlySet<string> = new Set([
  "web_search",
  "web_search_request",
  "view_image",
]);

/**
 * The fields without the tables that Codex has under the names of restrictions: limits of all agents in `[agents]`, and profiles in
 * `[permissions.NAME]`. They are settings of Codex itself.
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

/** Tables of settings, and no effects by pattern such as `{ bash = { "git *" = "allow" } }`. */
function isProfiles(value: JsonValue): boolean {
  if (!isRecord(value)) return false;
  const inner = Object.values(value);
  const isEffect = (one: JsonValue): boolean => one === "allow" || one === "ask" || one === "deny";
  return (
    inner.length > 0 && inner.every((one) => isRecord(one) && !Object.values(one).every(isEffect))
  );
}

/** Codex has settings of its tools under the name. A list there is one of tools, which its users write. */
export function readCodexTools(fields: Fields): ToolChoice {
  const { key = "tools", value } = fields.written.get("tools") ?? {};
  if (!isRecord(value)) return readToolChoice(fields);
  const others = Object.keys(value).filter((name) => !toolSettings.has(name));
  if (others.length === 0) reportWithoutEffect(fields, ["tools"], "info");
  for (const name of others) {
    const message = `\`${key}.${name}\` is not a setting of Codex, so it would give or take away nothing.`;
    const fix = 'Write `disallowed_tools = ["shell"]` for what the agent must not have.';
    fields.report([key, name], { severity: "error", code: "unknown-key", message, fix });
  }
  return readDisallowedTools(fields);
}
