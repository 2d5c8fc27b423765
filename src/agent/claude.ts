import type { PermissionMode } from "../run/permission.ts";
import type { AgentDefinition } from "./agent.ts";
import {
  type AgentFile,
  createDefinition,
  readBody,
  readDescription,
  readDisabled,
  readFreeName,
  readModel,
  sourceOf,
} from "./common-fields.ts";
import { readForeignEffort } from "./effort.ts";
import { readChoice, readFlag, readList, readNumber } from "./field-readers.ts";
import type { FieldKeys, Fields } from "./fields.ts";
import { readForeignModel } from "./foreign-model.ts";
import { parseFrontmatter } from "./parse-frontmatter.ts";
import { restrictMode } from "./permission-fields.ts";
import { restrictionKeys } from "./restriction-keys.ts";
import { readServers } from "./server-fields.ts";
import { readToolChoice } from "./tool-list.ts";
import { reportWithoutEffect } from "./without-effect.ts";

const claudeKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  ...restrictionKeys,
  disabled: ["disabled"],
  model: ["model"],
  permissionMode: ["permissionMode"],
  maxTurns: ["maxTurns"],
  skills: ["skills"],
  extensions: ["mcpServers"],
  background: ["background"],
  effort: ["effort"],
  isolation: ["isolation"],
  hooks: ["hooks"],
  memory: ["memory"],
  initialPrompt: ["initialPrompt"],
  omitClaudeMd: ["omitClaudeMd"],
  color: ["color"],
};

/** Fields that Claude Code has and Cadre does not. */
const unsupported = ["hooks", "memory", "initialPrompt", "omitClaudeMd"];

/** Cadre's word for each of Claude Code's permission modes. */
const modes: Readonly<Record<string, PermissionMode>> = {
  default: "ask",
  manual: "ask",
  acceptEdits: "accept-edits",
  plan: "plan",
  dontAsk: "deny",
  bypassPermissions: "auto",
  auto: "auto",
};

/** Reads a sub-agent of Claude Code (`.claude/agents/**.md`); `null` for prose, a file without frontmatter. */
export function parseClaude(file: AgentFile): AgentDefinition | null {
  const { frontmatter, fields } = parseFrontmatter(file, claudeKeys);
  if (frontmatter.data === null) return null;
  reportWithoutEffect(fields, unsupported);
  reportWithoutEffect(fields, ["color"], "info");
  return createDefinition(fields, sourceOf(file, "claude"), {
    name: readFreeName(fields),
    description: unescapeLines(readDescription(fields)),
    systemPrompt: readBody(frontmatter, fields),
    disabled: readDisabled(fields),
    model: readClaudeModel(fields),
    ...readToolChoice(fields),
    permissionMode: restrictMode(fields, readChoice(fields, "permissionMode", modes)),
    maxTurns: readNumber(fields, "maxTurns", { min: 1, max: 10_000, isWhole: true }),
    skills: readList(fields, "skills"),
    extensions: readServers(fields),
    background: readFlag(fields, "background"),
    effort: readForeignEffort(fields),
    isolation: readChoice(fields, "isolation", { worktree: "worktree" }, "warning"),
  });
}

/** Claude Code itself writes descriptions on one line, with `\n` for line ends and no quotes around them. */
function unescapeLines(description: string): string {
  return description.includes("\n") ? description : description.replaceAll("\\n", "\n");
}

/** People write models as they are called anywhere: `Opus`, `Claude Sonnet 4.5`, `anthropic/claude-sonnet-4-5`. */
function readClaudeModel(fields: Fields): string | undefined {
  const isText = typeof fields.written.get("model")?.value === "string";
  return isText ? readForeignModel(fields) : readModel(fields);
}
