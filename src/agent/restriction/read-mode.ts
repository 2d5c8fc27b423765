import { permissionModes, type PermissionMode } from "../../run/permission.ts";
import { isRecord } from "../../source/json.ts";
import { readChoice, readFlag, readText, shorten } from "../field-readers.ts";
import type { Fields } from "../fields.ts";

/** The words for permission modes: Cadre's own, and those of Claude Code. */
const modes: Readonly<Record<string, PermissionMode>> = {
  ...Object.fromEntries(permissionModes.map((mode) => [mode, mode])),
  default: "ask",
  manual: "ask",
  acceptEdits: "accept-edits",
  dontAsk: "deny",
  bypassPermissions: "auto",
};

/** What Codex gives the commands of an agent; `none` restricts nothing, because an agent never has more than its parent. */
const sandboxModes: Readonly<Record<string, PermissionMode | "none">> = {
  "read-only": "read-only",
  "workspace-write": "none",
  "danger-full-access": "none",
};

/**
 * The mode of an agent: the strictest of those that its file gives it, in the words of any program. A word that nobody has is an
 * error.
 */
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

/** `deny` refuses the commands that `read-only` runs, and may have rules that allow edits: both together only read. */
function strictestOf(given: readonly PermissionMode[]): PermissionMode | undefined {
  if (given.includes("deny") && given.includes("read-only")) return "plan";
  return permissionModes.find((mode) => given.includes(mode));
}

/** The settings of Claude Code have the mode among the rules. */
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

/** The newer permission profiles of Codex, which count where there is no sandbox mode. Of one that people made, nothing is known. */
function readProfile(fields: Fields): PermissionMode | undefined {
  if (fields.written.has("sandboxMode") || !fields.written.has("permissionProfile"))
    return undefined;
  const name = readText(fields, "permissionProfile");
  if (name === undefined) return undefined;
  const mode = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (mode !== undefined) return mode === "none" ? undefined : mode;
  const key = fields.written.get("permissionProfile")?.key ?? "";
  const message = `The permission profile \`${shorten(name)}\` is one of Codex's configuration and is not read here; the agent may only read, without commands.`;
  const fix = `Write \`${key}: :read-only\`, or one of the other profiles that Codex has itself.`;
  fields.report([key], { severity: "warning", code: "unsupported-field", message, fix });
  return "plan";
}
