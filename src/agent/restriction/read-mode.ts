import { permissionModes, type PermissionMode } from "../../run/permission.ts";
import { isRecord } from "../../source/json.ts";
import { shorten } from "../../source/read-value.ts";
import { readChoice, readFlag, readText } from "../fields/field-readers.ts";
import type { Fields } from "../fields/fields.ts";

/** The names of permission modes, Cadre's and Claude Code's. */
const modes: Readonly<Record<string, PermissionMode>> = {
  ...Object.fromEntries(permissionModes.map((mode) => [mode, mode])),
  default: "ask",
  manual: "ask",
  acceptEdits: "accept-edits",
  dontAsk: "deny",
  bypassPermissions: "auto",
};

/**
 * The mode for each of Codex's sandbox modes. `none` restricts nothing, because an agent never has more rights than its parent.
 */
const sandboxModes: Readonly<Record<string, PermissionMode | "none">> = {
  "read-only": "read-only",
  "workspace-write": "none",
  "danger-full-access": "none",
};

/** Returns the strictest of an agent's modes, in any program's terms. An unknown term is an error. */
export function readMode(fields: Fields): PermissionMode | undefined {
  const found: [field: string, mode: PermissionMode | undefined][] = [
    ["permissionMode", readChoice(fields, "permissionMode", modes)],
    ["permissions", readDefaultMode(fields)],
    ["sandboxMode", readSandboxMode(fields)],
    ["permissionProfile", readProfile(fields)],
    ["readOnly", readFlag(fields, "readOnly") === true ? "read-only" : undefined],
  ];
  const given = found.flatMap(([, mode]) => mode ?? []);
  const strictest = strictestOf(given);
  const [field = "permissionMode"] = found.find(([, mode]) => mode !== undefined) ?? [];
  if (strictest !== undefined) fields.lines.permissionMode ??= fields.lines[field] ?? 1;
  return strictest;
}

/**
 * `deny` refuses the commands that `read-only` runs, and rules may allow edits in it. Combined they are `plan`, which only reads.
 */
function strictestOf(given: readonly PermissionMode[]): PermissionMode | undefined {
  if (given.includes("deny") && given.includes("read-only")) return "plan";
  return permissionModes.find((mode) => given.includes(mode));
}

/** In Claude Code's settings the mode is among the rules. */
function readDefaultMode(fields: Fields): PermissionMode | undefined {
  const { key = "", value } = fields.written.get("permissions") ?? {};
  const mode = isRecord(value) ? value.defaultMode : undefined;
  if (mode === undefined) return undefined;
  const written = new Map([["defaultMode", { key: `${key}.defaultMode`, value: mode }]]);
  const report: Fields["report"] = (_, finding) => fields.report([key, "defaultMode"], finding);
  return readChoice({ ...fields, written, report }, "defaultMode", modes);
}

function readSandboxMode(fields: Fields): PermissionMode | undefined {
  const mode = readChoice(fields, "sandboxMode", sandboxModes);
  const { key = "", value } = fields.written.get("sandboxMode") ?? {};
  if (value === "danger-full-access") {
    const message = `\`${key}: danger-full-access\` has no effect: an agent never has more than its parent.`;
    const fix = `Write \`${key}: workspace-write\`, or remove the key.`;
    fields.report([key], { severity: "warning", code: "unsupported-field", message, fix });
  }
  return mode === "none" ? undefined : mode;
}

const profiles: Readonly<Record<string, PermissionMode | "none">> = {
  ":read-only": "read-only",
  ":workspace": "none",
  ":danger-full-access": "none",
};

/**
 * Returns the mode of a newer permission profile of Codex, which counts without a sandbox mode. The user's own profiles are not
 * read.
 */
function readProfile(fields: Fields): PermissionMode | undefined {
  if (fields.written.has("sandboxMode") || !fields.written.has("permissionProfile"))
    return undefined;
  const name = readText(fields, "permissionProfile");
  if (name === undefined) return undefined;
  const mode = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (mode !== undefined) return mode === "none" ? undefined : mode;
  const key = fields.written.get("permissionProfile")?.key ?? "";
  const message = `The permission profile \`${shorten(name)}\` is defined in the configuration of Codex, which is not read; the agent may only read, without commands.`;
  const fix = `Write \`${key}: :read-only\`, or another built-in profile of Codex.`;
  fields.report([key], { severity: "warning", code: "unsupported-field", message, fix });
  return "plan";
}
