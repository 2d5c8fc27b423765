import type { AgentDefinition } from "../definition/agent.ts";
import {
  type AgentFile,
  createDefinition,
  readBody,
  readDescription,
  readFreeName,
  readModel,
  sourceOf,
} from "../fields/common-fields.ts";
import { readForeignEffort } from "../fields/effort.ts";
import { readChoice, readFlag, readList } from "../fields/field-readers.ts";
import type { FieldKeys, Fields } from "../fields/fields.ts";
import { readForeignFallbacks, readForeignModel } from "../fields/foreign-model.ts";
import { parseFrontmatter } from "../fields/parse-frontmatter.ts";
import { readHooks } from "../fields/read-hooks.ts";
import { readPersona } from "../fields/persona.ts";
import { readServers } from "../fields/server-fields.ts";
import { readRights } from "../restriction/read-rights.ts";
import { restrictionKeys } from "../fields/restriction-keys.ts";

const claudeKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  ...restrictionKeys,
  model: ["model"],
  skills: ["skills"],
  extensions: ["mcpServers"],
  background: ["background"],
  effort: ["effort"],
  isolation: ["isolation"],
  hooks: ["hooks"],
  memory: ["memory"],
  initialPrompt: ["initialPrompt"],
  instructions: ["omitClaudeMd"],
  color: ["color"],
};

/** Reads a sub-agent of Claude Code (`.claude/agents/**.md`). Returns `null` for prose, a file without frontmatter. */
export function parseClaude(file: AgentFile): AgentDefinition | null {
  const { frontmatter, fields } = parseFrontmatter(file, claudeKeys);
  if (frontmatter.data === null) return null;
  return createDefinition(fields, sourceOf(file, "claude"), {
    name: readFreeName(fields),
    description: unescapeLines(readDescription(fields)),
    systemPrompt: readBody(frontmatter, fields),
    model: readClaudeModel(fields),
    fallbacks: readForeignFallbacks(fields),
    ...readRights(fields),
    skills: readList(fields, "skills"),
    ...readPersona(fields),
    instructions: readFlag(fields, "instructions") === true ? false : undefined,
    extensions: readServers(fields),
    hooks: readHooks(fields),
    background: readFlag(fields, "background"),
    effort: readForeignEffort(fields),
    isolation: readChoice(fields, "isolation", { worktree: "worktree" }, "warning"),
  });
}

/** Claude Code writes generated descriptions on one unquoted line, with `\n` for line breaks. */
function unescapeLines(description: string): string {
  return description.includes("\n") ? description : description.replaceAll("\\n", "\n");
}

/** Files name models in many forms: `Opus`, `Claude Sonnet 4.5`, `anthropic/claude-sonnet-4-5`. */
function readClaudeModel(fields: Fields): string | undefined {
  const isText = typeof fields.written.get("model")?.value === "string";
  return isText ? readForeignModel(fields) : readModel(fields);
}
