import type { Frontmatter } from "../../source/yaml/frontmatter.ts";
import type { AgentDefinition } from "../definition/agent.ts";
import {
  type AgentFile,
  type DefinitionValues,
  readBody,
  readDescription,
  readFreeName,
} from "../fields/common-fields.ts";
import { readNumber, readText } from "../fields/field-readers.ts";
import type { FieldKeys, Fields } from "../fields/fields.ts";
import { readForeignFallbacks, readForeignModel } from "../fields/foreign-model.ts";
import { parseDefinition } from "../fields/parse-frontmatter.ts";
import { readServers } from "../fields/server-fields.ts";
import { reportWithoutEffect } from "../fields/without-effect.ts";
import { readRights } from "../restriction/read-rights.ts";
import { restrictionKeys } from "../fields/restriction-keys.ts";

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

/** The form of a valid name. */
export const geminiName: RegExp = /^[a-z0-9_-]+$/;

/** The defaults of Gemini CLI: its sub-agents cannot delegate, and stop after 30 turns or 10 minutes. */
export const geminiDefaults = { maxTurns: 30, timeoutSeconds: 600, maxDepth: 0 } as const;

/** Reads a sub-agent of Gemini CLI (`.gemini/agents/*.md`). */
export function parseGemini(file: AgentFile): AgentDefinition {
  return parseDefinition(file, { format: "gemini", keys: geminiKeys, read });
}

function read(fields: Fields, frontmatter: Frontmatter): DefinitionValues {
  checkKind(fields);
  reportWithoutEffect(fields, ["displayName"], "info");
  const rights = readRights(fields);
  const minutes = readNumber(fields, "timeoutSeconds", { min: 0.1, max: 1440 });
  return {
    name: readFreeName(fields, geminiName),
    description: readDescription(fields),
    systemPrompt: readBody(frontmatter, fields),
    model: readForeignModel(fields),
    fallbacks: readForeignFallbacks(fields),
    temperature: readNumber(fields, "temperature", { min: 0, max: 2 }),
    ...rights,
    maxTurns: rights.maxTurns ?? geminiDefaults.maxTurns,
    maxDepth: rights.maxDepth ?? geminiDefaults.maxDepth,
    extensions: readServers(fields),
    timeoutSeconds: minutes === undefined ? geminiDefaults.timeoutSeconds : minutes * 60,
  };
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
