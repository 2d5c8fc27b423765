import type { Frontmatter } from "../source/frontmatter.ts";
import { isRecord, type JsonValue } from "../source/json.ts";
import type { AgentDefinition } from "./agent.ts";
import { nameInFolder } from "./agent-folder.ts";
import {
  type AgentFile,
  createDefinition,
  fileStem,
  readBody,
  readOptionalDescription,
  readOptionalName,
  sourceOf,
} from "./common-fields.ts";
import { readForeignEffort, toEffort } from "./effort.ts";
import { readChoice, readNumber, readText } from "./field-readers.ts";
import type { FieldKeys, Fields } from "./fields.ts";
import { readForeignModel } from "./foreign-model.ts";
import { type OpenCodeRule, readToolMap } from "./opencode-permission.ts";
import { parseFrontmatter } from "./parse-frontmatter.ts";
import type { ToolChoice } from "./tool-choice.ts";
import { readDisallowedTools, readToolChoice } from "./tool-list.ts";
import { reportWithoutEffect } from "./without-effect.ts";
import { readRights } from "./restriction/read-rights.ts";
import { restrictionKeys } from "./restriction/restriction-keys.ts";

/** The keys of both generations; the newer name is the first. */
const openCodeKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  mode: ["mode"],
  model: ["model"],
  variant: ["variant"],
  temperature: ["temperature"],
  topP: ["top_p"],
  effort: ["reasoningEffort"],
  hidden: ["hidden", "hidden_from_cycle"],
  systemPrompt: ["system", "prompt"],
  options: ["options", "request"],
  textVerbosity: ["textVerbosity"],
  reasoningSummary: ["reasoningSummary"],
  thinking: ["thinking"],
  ...restrictionKeys,
  color: ["color"],
};

/** Reads an agent of OpenCode (`.opencode/{agent,agents}/**.md`); `null` for prose, a file without frontmatter. */
export function parseOpenCode(file: AgentFile): AgentDefinition | null {
  const { frontmatter, fields } = parseFrontmatter(file, openCodeKeys);
  if (frontmatter.data === null) return null;
  reportWithoutEffect(fields, ["topP", "options"]);
  reportWithoutEffect(
    fields,
    ["hidden", "color", "textVerbosity", "reasoningSummary", "thinking"],
    "info",
  );
  reportMode(fields);
  const body = readInstructions(frontmatter, fields);
  const toolMap = readToolMap(fields);
  const rights = readRights(fields, { choice: readListOfTools(fields), toolMap });
  return createDefinition(fields, sourceOf(file, "opencode"), {
    name: readOptionalName(fields, nameInFolder(file.path) ?? fileStem(file.path)),
    description: readOptionalDescription(fields, body),
    systemPrompt: body,
    model: readForeignModel(fields),
    temperature: readNumber(fields, "temperature", { min: 0, max: 2 }),
    effort: readForeignEffort(fields) ?? readVariant(fields),
    ...rights,
    maxDepth: rights.maxDepth ?? readDepth(fields, toolMap),
  });
}

/** The body counts; what the frontmatter has instead is used where there is no body. */
function readInstructions(frontmatter: Frontmatter, fields: Fields): string {
  const field = fields.written.get("systemPrompt");
  if (field === undefined) return readBody(frontmatter, fields);
  if (frontmatter.body.trim() === "" && !/^\s*\{file:/.test(JSON.stringify(field.value).slice(1))) {
    return readText(fields, "systemPrompt") ?? readBody(frontmatter, fields);
  }
  const message = `\`${field.key}\` has no effect in a Markdown file: the text below the frontmatter counts.`;
  const fix = `Move its text below the closing \`---\`, and remove \`${field.key}\`.`;
  fields.report([field.key], { severity: "warning", code: "unsupported-field", message, fix });
  return readBody(frontmatter, fields);
}

/** There a sub-agent delegates only where its own rules say something about it, whatever they say of all actions. */
function readDepth(fields: Fields, toolMap: readonly OpenCodeRule[]): 0 | undefined {
  if (fields.written.get("mode")?.value !== "subagent") return undefined;
  const values = ["permission", "permissions"].map((name) => fields.written.get(name)?.value);
  const actions = [...toolMap.map(({ action }) => action), ...values.flatMap(actionsIn)];
  const isNamed = actions.some((action) => /^(?:task|subagent)$/i.test(action));
  if (!isNamed) fields.lines.maxDepth = fields.lines.mode ?? 1;
  return isNamed ? undefined : 0;
}

/** The actions that a map or a list of rules names. */
function actionsIn(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((rule) =>
      isRecord(rule) && typeof rule.action === "string" ? [rule.action] : [],
    );
  }
  return value !== undefined && isRecord(value) ? Object.keys(value) : [];
}

function reportMode(fields: Fields): void {
  const modes = { primary: "primary", subagent: "subagent", all: "all" } as const;
  if (readChoice(fields, "mode", modes, "warning") !== "primary") return;
  const message =
    "`mode: primary` keeps other agents from delegating to this one in OpenCode; it has no effect here.";
  const fix = "Nothing has to be done; `cadre run NAME` runs it as the main agent.";
  fields.report(["mode"], { severity: "info", code: "unsupported-field", message, fix });
}

/** `variant: high`, or `#high` behind the model; other variants are the provider's own. */
function readVariant(fields: Fields): AgentDefinition["effort"] {
  const model = fields.written.get("model");
  const written =
    typeof model?.value === "string" ? /#([\w.-]+)$/.exec(model.value)?.[1] : undefined;
  const key = fields.written.get("variant")?.key ?? model?.key;
  const variant = fields.written.has("variant") ? readText(fields, "variant") : written;
  if (variant === undefined || key === undefined) return undefined;
  const effort = toEffort(variant);
  fields.lines.effort ??=
    (fields.written.has("variant") ? fields.lines.variant : fields.lines.model) ?? 1;
  if (effort !== undefined) return effort;
  const message = `The variant \`${variant}\` is one of OpenCode's own, and has no effect here.`;
  const fix = "Write `low`, `medium` or `high`, or remove it.";
  fields.report([key], { severity: "info", code: "unsupported-field", message, fix });
  return undefined;
}

/** People write a list as well, which OpenCode does not read. */
function readListOfTools(fields: Fields): ToolChoice {
  const written = fields.written.get("tools");
  if (written === undefined || isRecord(written.value)) return readDisallowedTools(fields);
  const message = `\`${written.key}\` is a list here, which OpenCode does not read; the agent gets these tools and no others.`;
  const fix = `Write \`permission:\` with \`"*": deny\` and \`read: allow\`, one line a tool.`;
  fields.report([written.key], { severity: "warning", code: "tools-list", message, fix });
  return readToolChoice(fields);
}
