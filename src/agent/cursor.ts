import type { PermissionMode } from "../run/permission.ts";
import type { AgentDefinition } from "./agent.ts";
import {
  type AgentFile,
  createDefinition,
  readBody,
  readDisabled,
  readOptionalDescription,
  readOptionalName,
  sourceOf,
} from "./common-fields.ts";
import { readFlag } from "./field-readers.ts";
import type { FieldKeys, Fields } from "./fields.ts";
import { toEffort } from "./effort.ts";
import { readForeignModel } from "./foreign-model.ts";
import { parseFrontmatter } from "./parse-frontmatter.ts";
import { restrictMode } from "./permission-fields.ts";
import { restrictionKeys } from "./restriction-keys.ts";
import type { ToolChoice } from "./tool-choice.ts";
import { readToolChoice } from "./tool-list.ts";

const cursorKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  model: ["model"],
  background: ["is_background"],
  ...restrictionKeys,
  disabled: ["disabled"],
};

/** Reads a sub-agent of Cursor (`.cursor/agents/*.md`); `null` for prose, a file without frontmatter. */
export function parseCursor(file: AgentFile): AgentDefinition | null {
  const { frontmatter, fields } = parseFrontmatter(file, cursorKeys);
  if (frontmatter.data === null) return null;
  const body = readBody(frontmatter, fields);
  const permissionMode = restrictMode(fields);
  return createDefinition(fields, sourceOf(file, "cursor"), {
    name: readOptionalName(fields),
    description: readOptionalDescription(fields, body),
    systemPrompt: body,
    disabled: readDisabled(fields),
    ...readCursorModel(fields),
    ...restrict(readToolChoice(fields), permissionMode),
    permissionMode,
    background: readFlag(fields, "background"),
  });
}

/** Read-only in Cursor: no edits, no commands that could change anything, and no MCP servers. */
function restrict(choice: ToolChoice, mode: PermissionMode | undefined): ToolChoice {
  if (mode === undefined) return choice;
  return { ...choice, disallowedTools: [...(choice.disallowedTools ?? []), "mcp__*"] };
}

/** Cursor's ids end in how the model is to think: `claude-4.6-sonnet-medium-thinking`, `gpt-5.1-codex-high-fast`. */
const family =
  /^((?:claude|gpt|gemini|sonnet|opus)-[\w.-]*?\w)(?:-(low|medium|high|xhigh))?(?:-thinking)?(?:-fast)?$/;

/** Cursor has `fast` for a small model of its choice, and options in brackets: `gpt-5.2[effort=high]`. */
function readCursorModel(fields: Fields): Pick<AgentDefinition, "model" | "effort"> {
  const field = fields.written.get("model");
  if (field?.value === "fast") {
    const message = "`model: fast` is a model of Cursor's choice; the parent's model is used.";
    const fix = "Name one, such as `model: haiku`";
    fields.report(["model"], { severity: "warning", code: "model-invalid", message, fix });
    return {};
  }
  const written = typeof field?.value === "string" ? field.value : "";
  const [, id = written, suffix] = family.exec(written) ?? [];
  const short = new Map(fields.written);
  if (field !== undefined && id !== written) short.set("model", { ...field, value: id });
  const model = readForeignModel({ ...fields, written: short });
  const effort = toEffort(/\[[^\]]*\beffort=(\w+)/.exec(written)?.[1] ?? suffix ?? "");
  if (effort !== undefined) fields.lines.effort = fields.lines.model ?? 1;
  return { ...(model === undefined ? {} : { model }), ...(effort === undefined ? {} : { effort }) };
}
