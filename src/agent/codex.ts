import type { PermissionMode } from "../run/permission.ts";
import { isRecord } from "../source/json.ts";
import { readToml } from "../source/toml.ts";
import type { AgentDefinition, AgentScope } from "./agent.ts";
import {
  type AgentFile,
  createDefinition,
  readDescription,
  readFreeName,
  sourceOf,
} from "./common-fields.ts";
import { readForeignEffort } from "./effort.ts";
import { readChoice, readText, shorten } from "./field-readers.ts";
import { reportSwallowed } from "./codex-swallowed.ts";
import { type FieldKeys, type Fields, openFields, type Written } from "./fields.ts";
import { readForeignModel } from "./foreign-model.ts";
import { restrictMode } from "./permission-fields.ts";
import { restrictionKeys } from "./restriction-keys.ts";
import { readServers } from "./server-fields.ts";
import type { ToolChoice } from "./tool-choice.ts";
import { readDisallowedTools, readToolChoice } from "./tool-list.ts";
import { reportWithoutEffect } from "./without-effect.ts";

/** What else may stand in a file of Codex, and is its own affair. */
const settings: readonly string[] =
  "agents apps features history hooks memories model_context_window model_instructions_file model_providers model_reasoning_summary model_verbosity notify otel permissions personality plugins profile profiles projects sandbox_workspace_write service_tier shell_environment_policy tui web_search".split(
    " ",
  );

const codexKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  systemPrompt: ["developer_instructions", "instructions"],
  model: ["model"],
  provider: ["model_provider"],
  effort: ["model_reasoning_effort"],
  permissionMode: ["sandbox_mode"],
  permissionProfile: ["default_permissions"],
  ...restrictionKeys,
  approval: ["approval_policy"],
  extensions: ["mcp_servers"],
  skills: ["skills"],
  nicknames: ["nickname_candidates"],
  ...Object.fromEntries(settings.map((name) => [name, [name]])),
};

/** What a role of `config.toml` says beside its file. */
export interface CodexRole {
  name?: string;
  description?: string;
  /** Where it says so, as `path:line`. */
  origin?: string;
}

/**
 * Reads a custom agent of Codex (`.codex/agents/**.toml`). `role` has what `[agents.NAME]` of a `config.toml` says; what
 * the file says itself wins.
 */
export function parseCodex(file: AgentFile, role: CodexRole = {}): AgentDefinition {
  const { value, placeOf, diagnostics } = readToml(file.text, file.path);
  const found = diagnostics.map((finding) => Object.assign(finding, { fix: tomlFix }));
  const { origin, ...known } = role;
  const data = value === undefined ? {} : { ...known, ...value };
  const fields = openToml({ path: file.path, data, placeOf, diagnostics: found }, codexKeys);
  const source = sourceOf(file, "codex");
  if (value === undefined) return createDefinition(fields, source, {});
  reportWithoutEffect(fields, ["skills"]);
  reportWithoutEffect(fields, ["nicknames", ...settings], "info");
  reportSwallowed(fields, data);
  const given = Object.keys(known).filter((key) => value[key] === undefined);
  for (const key of given) delete fields.lines[key];
  return createDefinition(fields, source, {
    ...(origin === undefined || given.length === 0
      ? {}
      : { origins: Object.fromEntries(given.map((key) => [key, origin])) }),
    name: readFreeName(fields, /^[\w-]+$/),
    description: readDescription(fields),
    systemPrompt: readInstructions(fields),
    model: readModel(fields),
    effort: readForeignEffort(fields),
    // A sandbox that only reads; commands could change things, and there is no such sandbox for them here.
    permissionMode: restrictMode(fields, readMode(fields)),
    extensions: readServers(fields),
    ...readCodexTools(fields),
  });
}

/** Reads a role that a `config.toml` declares; without a file of its own it has no instructions. */
export function parseCodexRole(written: Written, scope: AgentScope): AgentDefinition {
  const fields = openToml(written, { ...codexKeys, file: ["config_file"] });
  const message =
    "The role has no `config_file`, so the agent has no instructions besides its task.";
  const fix = 'Write `config_file = "agents/NAME.toml"`, a file with `developer_instructions`.';
  fields.report([], { severity: "warning", code: "role-without-file", message, fix });
  const source = { format: "codex", scope, path: written.path } as const;
  return createDefinition(fields, source, {
    name: readFreeName(fields, /^[\w-]+$/),
    description: readDescription(fields),
  });
}

/** The readers of fields tell what to write as YAML; in TOML there is `=`, and text has quotes. */
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
  "Correct the TOML here: text in quotes, long text between `\"\"\"` (or `'''`, where a backslash is only that), a table `[name]` on a line of its own.";

/** Codex has settings of its tools under the name; a list there is one of tools, which its users write. */
function readCodexTools(fields: Fields): ToolChoice {
  if (!isRecord(fields.written.get("tools")?.value)) return readToolChoice(fields);
  reportWithoutEffect(fields, ["tools"], "info");
  return readDisallowedTools(fields);
}

function readModel(fields: Fields): string | undefined {
  const model = readForeignModel(fields);
  const provider = readText(fields, "provider");
  const written = fields.written.get("model")?.value;
  if (model === undefined || provider === undefined || typeof written !== "string") return model;
  return `${provider}:${written.trim()}`;
}

const modes: Readonly<Record<string, PermissionMode | "none">> = {
  "read-only": "plan",
  "workspace-write": "none",
  "danger-full-access": "none",
};

function readMode(fields: Fields): PermissionMode | undefined {
  reportApproval(fields);
  if (!fields.written.has("permissionMode")) return readProfile(fields);
  const mode = readChoice(fields, "permissionMode", modes);
  if (fields.written.get("permissionMode")?.value === "danger-full-access") {
    const message =
      "`sandbox_mode: danger-full-access` has no effect: an agent never has more than its parent.";
    const fix = 'Write `sandbox_mode = "workspace-write"`, or remove the key.';
    fields.report(["sandbox_mode"], {
      severity: "warning",
      code: "unsupported-field",
      message,
      fix,
    });
  }
  return mode === "none" ? undefined : mode;
}

const profiles: Readonly<Record<string, PermissionMode | "none">> = {
  ":read-only": "plan",
  ":workspace": "none",
  ":danger-full-access": "none",
};

/** The newer permission profiles, which count where there is no `sandbox_mode`. Of one that people made, only reading is sure. */
function readProfile(fields: Fields): PermissionMode | undefined {
  const name = fields.written.has("permissionProfile")
    ? readText(fields, "permissionProfile")
    : undefined;
  if (name === undefined) return undefined;
  fields.lines.permissionMode = fields.lines.permissionProfile ?? 1;
  const mode = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (mode !== undefined) return mode === "none" ? undefined : mode;
  const message = `The permission profile \`${shorten(name)}\` is one of Codex's configuration and is not read here; the agent may only read.`;
  const fix =
    'Write `default_permissions = ":workspace"` for an agent that may do what its parent may.';
  fields.report(["default_permissions"], {
    severity: "warning",
    code: "unsupported-field",
    message,
    fix,
  });
  return "plan";
}

function reportApproval(fields: Fields): void {
  const policy = fields.written.get("approval");
  if (policy === undefined) return;
  const message = `\`${policy.key}\` has no effect here: the parent's permission mode decides what is asked.`;
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
      "Expected `developer_instructions`, which say what the agent does; there are none.";
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
