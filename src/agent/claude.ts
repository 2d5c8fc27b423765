import type { PermissionMode } from "../run/permission.ts";
import { isRecord } from "../source/json.ts";
import type { AgentDefinition } from "./agent.ts";
import {
  type AgentFile,
  createDefinition,
  readBody,
  readDescription,
  readFreeName,
  readModel,
  sourceOf,
} from "./common-fields.ts";
import { readChoice, readFlag, readList, readNumber, splitCommas } from "./field-readers.ts";
import type { FieldKeys, Fields } from "./fields.ts";
import { parseFrontmatter } from "./parse-frontmatter.ts";
import { misnamedTools, readToolChoice } from "./tool-list.ts";

const claudeKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  tools: ["tools", ...misnamedTools],
  disallowedTools: ["disallowedTools"],
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

const efforts = { low: "low", medium: "medium", high: "high", xhigh: "high", max: "high" } as const;

/** Reads a sub-agent of Claude Code (`.claude/agents/**.md`); `null` for prose, a file without frontmatter. */
export function parseClaude(file: AgentFile): AgentDefinition | null {
  const { frontmatter, fields } = parseFrontmatter(file, claudeKeys);
  if (frontmatter.data === null) return null;
  reportUnsupported(fields);
  return createDefinition(fields, sourceOf(file, "claude"), {
    name: readFreeName(fields),
    description: unescapeLines(readDescription(fields)),
    systemPrompt: readBody(frontmatter, fields),
    model: readClaudeModel(fields),
    ...readToolChoice(fields),
    permissionMode: readChoice(fields, "permissionMode", modes),
    maxTurns: readNumber(fields, "maxTurns", { min: 1, max: 10_000, isWhole: true }),
    skills: readList(fields, "skills"),
    extensions: readServers(fields),
    background: readFlag(fields, "background"),
    effort: readChoice(fields, "effort", efforts, "warning"),
    isolation: readChoice(fields, "isolation", { worktree: "worktree" }, "warning"),
  });
}

/** Claude Code itself writes descriptions on one line, with `\n` for line ends and no quotes around them. */
function unescapeLines(description: string): string {
  return description.includes("\n") ? description : description.replaceAll("\\n", "\n");
}

/** Claude Code takes them in any case. */
const claudeAliases = ["opus", "sonnet", "haiku"];

function readClaudeModel(fields: Fields): string | undefined {
  const written = readModel(fields)?.replace(/\[1m\]$/, "");
  if (written === undefined || written === "default") return undefined;
  const model = claudeAliases.find((alias) => alias === written.toLowerCase()) ?? written;
  return model.startsWith("claude-") ? `anthropic:${model}` : model;
}

/** Servers by name become extensions; one that is configured in the file itself is not started. */
function readServers(fields: Fields): string[] | undefined {
  const field = fields.written.get("extensions");
  if (field === undefined) return undefined;
  const { key, value } = field;
  const items = typeof value === "string" ? splitCommas(value) : isRecord(value) ? [value] : value;
  if (!Array.isArray(items)) return readList(fields, "extensions");
  const names = items.filter((item) => typeof item === "string");
  for (const [index, item] of items.entries()) {
    if (typeof item === "string") continue;
    const inline = isRecord(item) ? Object.keys(item).join(", ") : JSON.stringify(item);
    const message = `\`${key}\` configures a server here (${inline}); only servers named by text are used, it was left out.`;
    const fix = "Configure the server in the project, and name it here.";
    fields.report([key, index], { severity: "warning", code: "unsupported-field", message, fix });
  }
  return names;
}

function reportUnsupported(fields: Fields): void {
  for (const name of unsupported) {
    const field = fields.written.get(name);
    if (field === undefined) continue;
    const message = `\`${field.key}\` is not supported here and has no effect.`;
    fields.report([field.key], {
      severity: "warning",
      code: "unsupported-field",
      message,
      fix: null,
    });
  }
  if (fields.written.has("color")) {
    const message = "`color` is for Claude Code's own display and has no effect here.";
    fields.report(["color"], { severity: "info", code: "unsupported-field", message, fix: null });
  }
  const effort = fields.written.get("effort")?.value;
  if (effort === "xhigh" || effort === "max") {
    const message = `\`effort: ${effort}\` was read as \`high\`, the most there is here.`;
    fields.report(["effort"], {
      severity: "warning",
      code: "unsupported-field",
      message,
      fix: "Write `effort: high`",
    });
  }
}
