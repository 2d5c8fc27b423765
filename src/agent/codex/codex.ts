import { isRecord } from "../../source/json.ts";
import { readToml } from "../../source/toml.ts";
import type { AgentDefinition, AgentScope } from "../definition/agent.ts";
import {
  type AgentFile,
  createDefinition,
  readDescription,
  readFreeName,
  sourceOf,
} from "../fields/common-fields.ts";
import { readForeignEffort } from "../fields/effort.ts";
import { readText } from "../fields/field-readers.ts";
import { reportMisplacedKeys } from "./report-misplaced-keys.ts";
import { type FieldKeys, type Fields, openFields, type Written } from "../fields/fields.ts";
import { readForeignFallbacks, readForeignModel } from "../fields/foreign-model.ts";
import { readServers } from "../fields/server-fields.ts";
import { reportWithoutEffect } from "../fields/without-effect.ts";
import { readRights } from "../restriction/read-rights.ts";
import { restrictionKeys } from "../fields/restriction-keys.ts";
import { readCodexTools, withoutTables } from "./codex-tables.ts";

/** Codex's settings that an agent file may contain and Cadre does not use. */
const settings: readonly string[] =
  "apps features history hooks memories model_context_window model_instructions_file model_providers model_reasoning_summary model_verbosity notify otel personality plugins profile profiles projects sandbox_workspace_write service_tier shell_environment_policy tui web_search".split(
    " ",
  );

const codexKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  systemPrompt: ["developer_instructions", "instructions"],
  model: ["model"],
  provider: ["model_provider"],
  effort: ["model_reasoning_effort"],
  ...restrictionKeys,
  approval: ["approval_policy"],
  extensions: ["mcp_servers"],
  skills: ["skills"],
  nicknames: ["nickname_candidates"],
  ...Object.fromEntries(settings.map((name) => [name, [name]])),
};

/** The part of a role that is in `config.toml`. */
export interface CodexRole {
  name?: string;
  description?: string;
  /** Its place in `config.toml`, as `path:line`. */
  origin?: string;
}

/**
 * Reads a custom agent of Codex (`.codex/agents/**.toml`). `role` holds the values of `[agents.NAME]` in a `config.toml`; the
 * file's own values take precedence.
 */
export function parseCodex(file: AgentFile, role: CodexRole = {}): AgentDefinition {
  const { value, positionOf, diagnostics } = readToml(file.text, file.path);
  const found = diagnostics.map((finding) => Object.assign(finding, { fix: tomlFix }));
  const { origin, ...known } = role;
  const data = value === undefined ? {} : { ...known, ...value };
  const fields = openToml(
    { path: file.path, data, positionOf, diagnostics: found, ownTools: file.ownTools },
    codexKeys,
  );
  const source = sourceOf(file, "codex");
  if (value === undefined) return createDefinition(fields, source, {});
  reportWithoutEffect(fields, ["skills"]);
  reportWithoutEffect(fields, ["nicknames", ...settings], "info");
  reportMisplacedKeys(fields, data);
  reportApproval(fields);
  const given = Object.keys(known).filter((key) => value[key] === undefined);
  for (const key of given) delete fields.lines[key];
  return createDefinition(fields, source, {
    ...(origin !== undefined &&
      given.length > 0 && { origins: Object.fromEntries(given.map((key) => [key, origin])) }),
    name: readFreeName(fields, /^[\w-]+$/),
    description: readDescription(fields),
    systemPrompt: readInstructions(fields),
    model: readModel(fields),
    fallbacks: readForeignFallbacks(fields),
    effort: readForeignEffort(fields),
    extensions: readServers(fields),
    ...readRights(withoutTables(fields), { choice: readCodexTools(fields) }),
  });
}

/** Reads a role that a `config.toml` declares without a file. It has no instructions. */
export function parseCodexRole(written: Written, scope: AgentScope): AgentDefinition {
  const fields = openToml(written, { ...codexKeys, file: ["config_file"] });
  const message =
    "The role has no `config_file`, so the agent has no instructions except its task.";
  const fix = 'Write `config_file = "agents/NAME.toml"`, a file with `developer_instructions`.';
  fields.report([], { severity: "warning", code: "role-without-file", message, fix });
  const source = { format: "codex", scope, path: written.path } as const;
  return createDefinition(fields, source, {
    name: readFreeName(fields, /^[\w-]+$/),
    description: readDescription(fields),
  });
}

/** Opens fields whose findings suggest TOML. By default the readers suggest `key: value`, as in YAML. */
function openToml(written: Written, keys: FieldKeys): Fields {
  const fields = openFields(written, keys);
  const report: Fields["report"] = (place, finding) => {
    const isServer = finding.code === "server-invalid";
    const inToml = finding.fix?.replaceAll(/`(\w+): ([^`"[{][^`]*)`/g, '`$1 = "$2"`') ?? null;
    const fix = isServer ? serverFix : inToml;
    fields.report(place, { ...finding, fix });
  };
  return { ...fields, report };
}

const serverFix =
  'Write `[mcp_servers.NAME]`, and `command = "…"` or `url = "https://…"` below it, or configure the server in .cadre/config.yaml.';

const tomlFix =
  "Correct the TOML here: text in quotes, long text between `\"\"\"` (or `'''`, where a backslash is literal), a table `[name]` on its own line.";

function readModel(fields: Fields): string | undefined {
  const model = readForeignModel(fields);
  const provider = readText(fields, "provider");
  const written = fields.written.get("model")?.value;
  if (model === undefined || provider === undefined || typeof written !== "string") return model;
  return `${provider}:${written.trim()}`;
}

function reportApproval(fields: Fields): void {
  const policy = fields.written.get("approval");
  if (policy === undefined) return;
  const message = `\`${policy.key}\` has no effect: the parent's permission mode decides which calls need approval.`;
  const fix = "Set the mode with `permissions.mode` in .cadre/config.yaml.";
  fields.report([policy.key], { severity: "info", code: "unsupported-field", message, fix });
}

function readInstructions(fields: Fields): string {
  const field = fields.written.get("systemPrompt");
  const table = field?.value;
  const inner = isRecord(table) ? table.text : undefined;
  const text = typeof inner === "string" ? inner : readText(fields, "systemPrompt");
  if (text === undefined || text.trim() === "") {
    const message =
      "Expected `developer_instructions`, the agent's instructions; the file has none.";
    const fix = 'Write `developer_instructions = """` and the instructions, and `"""`.';
    fields.report([], { severity: "error", code: "instructions-missing", message, fix });
    return "";
  }
  if (field?.key !== "developer_instructions") {
    const message = `\`${String(field?.key)}\` was read as \`developer_instructions\`.`;
    const fix = 'Write `developer_instructions = """` …';
    fields.report([field?.key ?? ""], { severity: "warning", code: "key-case", message, fix });
  }
  return text.trim();
}
