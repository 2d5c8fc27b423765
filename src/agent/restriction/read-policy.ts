import { isRecord, type JsonValue } from "../../source/json.ts";
import { shorten } from "../../source/read-value.ts";
import type { Fields } from "../fields/fields.ts";
import { joinChoices, type ToolChoice } from "../tools/tool-choice.ts";
import { readDisallowedTools } from "../tools/tool-list.ts";
import { mcpToolPattern } from "../tools/tool-name.ts";

/**
 * Returns the tools and servers that a `policy` of Gemini CLI excludes. Any other key is an error, because Cadre could not
 * enforce it.
 */
export function readPolicy(fields: Fields): ToolChoice {
  const field = fields.written.get("policy");
  if (field === undefined || field.value === null) return {};
  const {
    tools = {},
    mcp = {},
    ...others
  } = isRecord(field.value) ? field.value : { policy: true };
  const { exclude = [], ...otherTools } = isRecord(tools) ? tools : { tools };
  const { excluded = [], ...otherServers } = isRecord(mcp) ? mcp : { mcp };
  const unread = Object.keys({ ...others, ...otherTools, ...otherServers });
  const isText = (name: JsonValue): name is string => typeof name === "string";
  if (unread.length > 0 || ![exclude, excluded].flat().every(isText)) {
    const message = `Expected \`policy\` to have only \`tools.exclude\` and \`mcp.excluded\`, lists of names; got ${shorten(JSON.stringify(field.value))}.`;
    const fix = "List the allowed tools in `tools`, such as `mcp_SERVER_*`, and remove the rest.";
    fields.report(["policy"], { severity: "error", code: "unsupported-field", message, fix });
  }
  const servers = [excluded]
    .flat()
    .filter(isText)
    .map((name) => mcpToolPattern(name));
  const denied = new Map([["disallowedTools", { key: field.key, value: exclude }]]);
  const choice = readDisallowedTools({ ...fields, written: denied });
  return joinChoices(choice, { disallowedTools: servers });
}
