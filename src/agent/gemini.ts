import { isRecord, type JsonValue } from "../source/json.ts";
import type { AgentDefinition } from "./agent.ts";
import {
  type AgentFile,
  createDefinition,
  readBody,
  readDescription,
  readDisabled,
  readFreeName,
  sourceOf,
} from "./common-fields.ts";
import { readNumber, readText, shorten } from "./field-readers.ts";
import type { FieldKeys, Fields } from "./fields.ts";
import { readForeignModel } from "./foreign-model.ts";
import { parseFrontmatter, reportNoFrontmatter } from "./parse-frontmatter.ts";
import { restrictMode } from "./permission-fields.ts";
import { restrictionKeys } from "./restriction-keys.ts";
import { readServers } from "./server-fields.ts";
import { joinChoices, type ToolChoice } from "./tool-choice.ts";
import { readDisallowedTools, readToolChoice } from "./tool-list.ts";
import { mcpToolPattern } from "./tool-name.ts";
import { reportWithoutEffect } from "./without-effect.ts";

const geminiKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  kind: ["kind"],
  displayName: ["display_name"],
  ...restrictionKeys,
  disabled: ["disabled"],
  extensions: ["mcp_servers", "mcpServers"],
  model: ["model"],
  temperature: ["temperature"],
  maxTurns: ["max_turns"],
  timeoutSeconds: ["timeout_mins"],
  policy: ["policy"],
  agentCard: ["agent_card_url", "agent_card_json"],
  auth: ["auth"],
};

/** What Gemini CLI has where a file says nothing: its sub-agents cannot delegate, and stop after 30 turns or 10 minutes. */
export const geminiDefaults = { maxTurns: 30, timeoutSeconds: 600, maxDepth: 0 } as const;

/** Reads a sub-agent of Gemini CLI (`.gemini/agents/*.md`). */
export function parseGemini(file: AgentFile): AgentDefinition {
  const { frontmatter, fields } = parseFrontmatter(file, geminiKeys);
  const source = sourceOf(file, "gemini");
  if (frontmatter.data === null) {
    reportNoFrontmatter(fields);
    return createDefinition(fields, source, {});
  }
  checkKind(fields);
  reportWithoutEffect(fields, ["displayName"], "info");
  const minutes = readNumber(fields, "timeoutSeconds", { min: 0.1, max: 1440 });
  return createDefinition(fields, source, {
    ...geminiDefaults,
    name: readFreeName(fields, /^[a-z0-9_-]+$/),
    description: readDescription(fields),
    systemPrompt: readBody(frontmatter, fields),
    disabled: readDisabled(fields),
    model: readForeignModel(fields),
    temperature: readNumber(fields, "temperature", { min: 0, max: 2 }),
    ...joinChoices(readToolChoice(fields), readPolicy(fields)),
    permissionMode: restrictMode(fields),
    extensions: readServers(fields),
    maxTurns:
      readNumber(fields, "maxTurns", { min: 1, max: 10_000, isWhole: true }) ??
      geminiDefaults.maxTurns,
    timeoutSeconds: minutes === undefined ? geminiDefaults.timeoutSeconds : minutes * 60,
  });
}

/**
 * What a `policy` takes away: tools, and servers with all of theirs. Whatever else it has could restrict too, and cannot be
 * held to here.
 */
function readPolicy(fields: Fields): ToolChoice {
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
    const message = `Of \`policy\` only \`tools.exclude\` and \`mcp.excluded\`, lists of names, are read here; got ${shorten(JSON.stringify(field.value))}.`;
    const fix =
      "Name what the agent may use in `tools`, such as `mcp_SERVER_*`, and remove the rest.";
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

function checkKind(fields: Fields): void {
  const isWritten = fields.written.has("kind");
  const kind = isWritten ? readText(fields, "kind") : "local";
  const isRemote = kind === "remote" || fields.written.has("agentCard");
  if (!isRemote && (kind === "local" || kind === undefined)) return;
  const message = isRemote
    ? "A remote agent (Agent2Agent) runs on another machine, and this version cannot reach it."
    : `Expected \`kind\` to be \`local\`; got \`${String(kind)}\`.`;
  const fix =
    "Write `kind: local` and instructions below the frontmatter, or leave the agent to Gemini CLI.";
  fields.report(["kind"], { severity: "error", code: "kind-unsupported", message, fix });
}
