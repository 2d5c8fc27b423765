import type { Frontmatter } from "../../source/yaml/frontmatter.ts";
import { isRecord, type JsonValue } from "../../source/json.ts";
import type { AgentDefinition } from "../definition/agent.ts";
import {
  type AgentFile,
  createDefinition,
  readBody,
  readOptionalDescription,
  readOptionalName,
  sourceOf,
} from "../fields/common-fields.ts";
import { readForeignEffort, toEffort } from "../fields/effort.ts";
import { readChoice, readNumber, readText } from "../fields/field-readers.ts";
import type { FieldKeys, Fields } from "../fields/fields.ts";
import { readForeignFallbacks, readForeignModel } from "../fields/foreign-model.ts";
import { type OpenCodeRule, readToolMap } from "../opencode-rules/opencode-permission.ts";
import { hasMisplacedFrontmatter } from "../fields/misplaced-frontmatter.ts";
import { openCodeName } from "./opencode-folders.ts";
import { parseFrontmatter } from "../fields/parse-frontmatter.ts";
import type { ToolChoice } from "../tools/tool-choice.ts";
import { readDisallowedTools, readToolChoice } from "../tools/tool-list.ts";
import { reportWithoutEffect } from "../fields/without-effect.ts";
import { readRights } from "../restriction/read-rights.ts";
import { restrictionKeys } from "../fields/restriction-keys.ts";

/** The keys of both generations, the newer name first. */
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

/**
 * Reads an agent of OpenCode (`.opencode/{agent,agents}/**.md`), which needs no frontmatter. Returns `null` when the frontmatter
 * does not start on the first line, because its restrictions would be lost.
 */
export function parseOpenCode(file: AgentFile): AgentDefinition | null {
  const { frontmatter, fields } = parseFrontmatter(file, openCodeKeys);
  if (frontmatter.data === null && hasMisplacedFrontmatter(file.text)) return null;
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
    name: readOptionalName(fields, openCodeName(file.path)),
    description: readOptionalDescription(fields, body),
    systemPrompt: body,
    model: readForeignModel(fields),
    fallbacks: readForeignFallbacks(fields),
    temperature: readNumber(fields, "temperature", { min: 0, max: 2 }),
    effort: readForeignEffort(fields) ?? readVariant(fields),
    ...rights,
    maxDepth: rights.maxDepth ?? readDepth(fields, toolMap),
  });
}

/** Returns the body, or the instructions in the frontmatter if the body is empty. */
function readInstructions(frontmatter: Frontmatter, fields: Fields): string {
  const field = fields.written.get("systemPrompt");
  if (field === undefined) return readBody(frontmatter, fields);
  if (frontmatter.body.trim() === "" && !/^\s*\{file:/.test(JSON.stringify(field.value).slice(1))) {
    return readText(fields, "systemPrompt") ?? readBody(frontmatter, fields);
  }
  const message = `\`${field.key}\` has no effect in a Markdown file: the text below the frontmatter is used.`;
  const fix = `Move its text below the closing \`---\`, and remove \`${field.key}\`.`;
  fields.report([field.key], { severity: "warning", code: "unsupported-field", message, fix });
  return readBody(frontmatter, fields);
}

/** In OpenCode a sub-agent delegates only if a rule names that action. Rules for all actions do not count. */
function readDepth(fields: Fields, toolMap: readonly OpenCodeRule[]): 0 | undefined {
  if (fields.written.get("mode")?.value !== "subagent") return undefined;
  const values = ["permission", "permissions"].map((name) => fields.written.get(name)?.value);
  const actions = [...toolMap.map(({ action }) => action), ...values.flatMap(actionsIn)];
  const isNamed = actions.some((action) => /^(?:task|subagent)$/i.test(action));
  if (!isNamed) fields.lines.maxDepth = fields.lines.mode ?? 1;
  return isNamed ? undefined : 0;
}

/** Returns the actions in a map or a list of rules. */
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
  const fix = "No action is needed; `cadre run NAME` runs it as the main agent.";
  fields.report(["mode"], { severity: "info", code: "unsupported-field", message, fix });
}

/** Returns the effort from `variant: high` or from `#high` after the model. Other variants belong to the provider. */
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
  const message = `The variant \`${variant}\` is specific to OpenCode and has no effect.`;
  const fix = "Write `low`, `medium` or `high`, or remove it.";
  fields.report([key], { severity: "info", code: "unsupported-field", message, fix });
  return undefined;
}

/** Reads `tools` as a list. Authors write it although OpenCode ignores it. */
function readListOfTools(fields: Fields): ToolChoice {
  const written = fields.written.get("tools");
  if (written === undefined || isRecord(written.value)) return readDisallowedTools(fields);
  const message = `\`${written.key}\` is a list, which OpenCode does not read; the agent has only these tools.`;
  const fix = `Write \`permission:\` with \`"*": deny\` and \`read: allow\`, one line per tool.`;
  fields.report([written.key], { severity: "warning", code: "tools-list", message, fix });
  return readToolChoice(fields);
}
