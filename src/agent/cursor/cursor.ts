import type { AgentDefinition } from "../definition/agent.ts";
import {
  type AgentFile,
  createDefinition,
  readBody,
  readOptionalDescription,
  readOptionalName,
  sourceOf,
} from "../fields/common-fields.ts";
import { readFlag } from "../fields/field-readers.ts";
import type { FieldKeys, Fields } from "../fields/fields.ts";
import { toEffort } from "../fields/effort.ts";
import { readForeignFallbacks, readForeignModel } from "../fields/foreign-model.ts";
import { parseFrontmatter } from "../fields/parse-frontmatter.ts";
import { readRights, type Rights } from "../restriction/read-rights.ts";
import { restrictionKeys } from "../fields/restriction-keys.ts";
import { omitUndefined } from "../../omit-undefined.ts";

const cursorKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  model: ["model"],
  background: ["is_background"],
  ...restrictionKeys,
};

/** Reads a sub-agent of Cursor (`.cursor/agents/*.md`). Returns `null` for prose, a file without frontmatter. */
export function parseCursor(file: AgentFile): AgentDefinition | null {
  const { frontmatter, fields } = parseFrontmatter(file, cursorKeys);
  if (frontmatter.data === null) return null;
  const body = readBody(frontmatter, fields);
  return createDefinition(fields, sourceOf(file, "cursor"), {
    name: readOptionalName(fields),
    description: readOptionalDescription(fields, body),
    systemPrompt: body,
    ...readCursorModel(fields),
    fallbacks: readForeignFallbacks(fields),
    ...restrict(readRights(fields)),
    background: readFlag(fields, "background"),
  });
}

/** Cursor's read-only agents cannot edit, run commands that change anything, or use MCP servers. */
function restrict(rights: Rights): Rights {
  if (rights.permissionMode !== "plan" && rights.permissionMode !== "read-only") return rights;
  return { ...rights, disallowedTools: [...(rights.disallowedTools ?? []), "mcp__*"] };
}

/** Cursor appends the effort and options to model ids: `claude-4.6-sonnet-medium-thinking`, `gpt-5.1-codex-high-fast`. */
const family =
  /^((?:claude|gpt|gemini|sonnet|opus)-[\w.-]*?\w)(?:-(low|medium|high|xhigh))?(?:-thinking)?(?:-fast)?$/;

/** In Cursor, `fast` is a small model of Cursor's choice, and options are in brackets: `gpt-5.2[effort=high]`. */
function readCursorModel(fields: Fields): Pick<AgentDefinition, "model" | "effort"> {
  const field = fields.written.get("model");
  if (field?.value === "fast") {
    const message = "`model: fast` is a model that Cursor chooses; the parent's model is used.";
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
  return omitUndefined({ model, effort });
}
