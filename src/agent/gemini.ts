import type { AgentDefinition } from "./agent.ts";
import {
  type AgentFile,
  createDefinition,
  readBody,
  readDescription,
  readFreeName,
  sourceOf,
} from "./common-fields.ts";
import { readNumber, readText } from "./field-readers.ts";
import type { FieldKeys, Fields } from "./fields.ts";
import { readForeignModel } from "./foreign-model.ts";
import { parseFrontmatter, reportNoFrontmatter } from "./parse-frontmatter.ts";
import { readServers } from "./server-fields.ts";
import { reportWithoutEffect } from "./without-effect.ts";
import { readRights } from "./restriction/read-rights.ts";
import { restrictionKeys } from "./restriction/restriction-keys.ts";

const geminiKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  kind: ["kind"],
  displayName: ["display_name"],
  ...restrictionKeys,
  extensions: ["mcp_servers", "mcpServers"],
  model: ["model"],
  temperature: ["temperature"],
  timeoutSeconds: ["timeout_mins"],
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
  const rights = readRights(fields);
  const minutes = readNumber(fields, "timeoutSeconds", { min: 0.1, max: 1440 });
  return createDefinition(fields, source, {
    name: readFreeName(fields, /^[a-z0-9_-]+$/),
    description: readDescription(fields),
    systemPrompt: readBody(frontmatter, fields),
    model: readForeignModel(fields),
    temperature: readNumber(fields, "temperature", { min: 0, max: 2 }),
    ...rights,
    maxTurns: rights.maxTurns ?? geminiDefaults.maxTurns,
    maxDepth: rights.maxDepth ?? geminiDefaults.maxDepth,
    extensions: readServers(fields),
    timeoutSeconds: minutes === undefined ? geminiDefaults.timeoutSeconds : minutes * 60,
  });
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
