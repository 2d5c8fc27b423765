import type { AgentDefinition } from "../definition/agent.ts";
import { type AgentFile, readSharedFields } from "../fields/common-fields.ts";
import { readChoice, readFlag, readList, readNumber, readObject } from "../fields/field-readers.ts";
import { readFallbacks } from "../fields/fallbacks.ts";
import type { FieldKeys } from "../fields/fields.ts";
import { parseDefinition } from "../fields/parse-frontmatter.ts";
import { readHooks } from "../fields/read-hooks.ts";
import { readPersona } from "../fields/persona.ts";
import { readRetry } from "../fields/read-retry.ts";
import { readRunner } from "../fields/runner.ts";
import { readServers } from "../fields/server-fields.ts";
import { readRights } from "../restriction/read-rights.ts";
import { restrictionKeys } from "../fields/restriction-keys.ts";

/** The keys of Cadre's own format: every field of a definition, in both spellings. */
const nativeKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  model: ["model"],
  fallbacks: ["fallbacks"],
  temperature: ["temperature"],
  effort: ["effort"],
  timeoutSeconds: ["timeout", "timeoutSeconds", "timeout_seconds"],
  runner: ["runner"],
  ...restrictionKeys,
  disallowedTools: [
    "disallowedTools",
    "disallowed_tools",
    ...(restrictionKeys.disallowedTools ?? []),
  ],
  extensions: ["extensions"],
  skills: ["skills"],
  instructions: ["instructions"],
  memory: ["memory"],
  initialPrompt: ["initial_prompt", "initialPrompt"],
  color: ["color"],
  isolation: ["isolation"],
  background: ["background"],
  team: ["team"],
  inputSchema: ["inputSchema", "input_schema"],
  outputSchema: ["outputSchema", "output_schema"],
  retry: ["retry"],
  hooks: ["hooks"],
  cache: ["cache"],
};

const efforts = { low: "low", medium: "medium", high: "high" } as const;

/** Reads a definition in Cadre's own format (`.cadre/agents/**.md`). */
export function parseNative(file: AgentFile): AgentDefinition {
  return parseDefinition(file, {
    format: "cadre",
    keys: nativeKeys,
    read: (fields, frontmatter) => ({
      ...readSharedFields(fields, frontmatter),
      fallbacks: readFallbacks(fields),
      temperature: readNumber(fields, "temperature", { min: 0, max: 2 }),
      effort: readChoice(fields, "effort", efforts),
      runner: readRunner(fields),
      ...readRights(fields, { isOwnFormat: true }),
      extensions: readServers(fields),
      skills: readList(fields, "skills"),
      instructions: readFlag(fields, "instructions"),
      ...readPersona(fields),
      isolation: readChoice(fields, "isolation", { worktree: "worktree" }),
      background: readFlag(fields, "background"),
      team: readFlag(fields, "team"),
      inputSchema: readObject(fields, "inputSchema"),
      outputSchema: readObject(fields, "outputSchema"),
      retry: readRetry(fields),
      hooks: readHooks(fields),
      cache: readFlag(fields, "cache"),
    }),
  });
}
