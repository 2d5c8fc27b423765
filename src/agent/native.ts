import type { AgentDefinition } from "./agent.ts";
import {
  type AgentFile,
  createDefinition,
  readBody,
  readDescription,
  readFileName,
  readModel,
  sourceOf,
} from "./common-fields.ts";
import { readChoice, readFlag, readList, readNumber, readObject } from "./field-readers.ts";
import type { FieldKeys } from "./fields.ts";
import { parseFrontmatter, reportNoFrontmatter } from "./parse-frontmatter.ts";
import { readRetry } from "./retry/read-retry.ts";
import { readRunner } from "./runner.ts";
import { readServers } from "./server-fields.ts";
import { readRights } from "./restriction/read-rights.ts";
import { restrictionKeys } from "./restriction/restriction-keys.ts";

/** The keys of Cadre's own format: every field of a definition, in both spellings. */
const nativeKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  model: ["model"],
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
  isolation: ["isolation"],
  background: ["background"],
  inputSchema: ["inputSchema", "input_schema"],
  outputSchema: ["outputSchema", "output_schema"],
  retry: ["retry"],
  cache: ["cache"],
};

const efforts = { low: "low", medium: "medium", high: "high" } as const;

/** Reads a definition in Cadre's own format (`.cadre/agents/**.md`). */
export function parseNative(file: AgentFile): AgentDefinition {
  const { frontmatter, fields } = parseFrontmatter(file, nativeKeys);
  const source = sourceOf(file, "cadre");
  if (frontmatter.data === null) {
    reportNoFrontmatter(fields);
    return createDefinition(fields, source, {});
  }
  return createDefinition(fields, source, {
    name: readFileName(fields),
    description: readDescription(fields, 1024),
    systemPrompt: readBody(frontmatter, fields),
    model: readModel(fields),
    temperature: readNumber(fields, "temperature", { min: 0, max: 2 }),
    effort: readChoice(fields, "effort", efforts),
    timeoutSeconds: readNumber(fields, "timeoutSeconds", { min: 1, max: 3600 }),
    runner: readRunner(fields),
    ...readRights(fields, { isOwnFormat: true }),
    extensions: readServers(fields),
    skills: readList(fields, "skills"),
    isolation: readChoice(fields, "isolation", { worktree: "worktree" }),
    background: readFlag(fields, "background"),
    inputSchema: readObject(fields, "inputSchema"),
    outputSchema: readObject(fields, "outputSchema"),
    retry: readRetry(fields),
    cache: readFlag(fields, "cache"),
  });
}
