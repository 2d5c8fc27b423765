import type { AgentDefinition } from "./agent.ts";
import {
  type AgentFile,
  createDefinition,
  readBody,
  readOptionalDescription,
  readOptionalName,
  sourceOf,
} from "./common-fields.ts";
import { readFlag } from "./field-readers.ts";
import type { FieldKeys, Fields } from "./fields.ts";
import { toEffort } from "./effort.ts";
import { readForeignModel } from "./foreign-model.ts";
import { parseFrontmatter } from "./parse-frontmatter.ts";
import { readRights, type Rights } from "./restriction/read-rights.ts";
import { restrictionKeys } from "./restriction/restriction-keys.ts";

const cursorKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  model: ["model"],
  background: ["is_background"],
  ...restrictionKeys,
};

/** Reads a sub-agent of Cursor (`.cursor/agents/*.md`); `null` for prose, a file without frontmatter. */
export function parseCursor(file: AgentFile): AgentDefinition | null {
  const { frontmatter, fields } = parseFrontmatter(file, cursorKeys);
  if (frontmatter.data === null) return null;
  const body = readBody(frontmatter, fields);
  return createDefinition(fields, sourceOf(file, "cursor"), {
    name: readOptionalName(fields),
    description: readOptionalDescription(fields, body),
    systemPrompt: body,
    ...readCursorModel(fields),
    ...restrict(readRights(fields)),
    background: readFlag(fields, "background"),
  });
}

/** Read-only in Cursor: no edits, no commands that change anything, and no MCP servers. */
function restrict(rights: Rights): Rights {
  if (rights.permissionMode !== "plan" && rights.permissionMode !== "read-only") return rights;
  return { ...rights, disallowedTools: [...(rights.disallowedTools ?? []), "mcp__*"] };
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
