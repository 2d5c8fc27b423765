// Readers of fields that several agent file formats share.

import type { Diagnostic, Finding, Report } from "../../source/diagnostic.ts";
import type { Frontmatter } from "../../source/yaml/frontmatter.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import { nearest } from "../../source/nearest.ts";
import type { KeyPath } from "../../source/position.ts";
import { plainKey } from "../../source/yaml/plain-key.ts";
import { findOtherRestrictions, type OtherRestriction } from "./other-restriction.ts";
import { isRestricting } from "./restriction-keys.ts";

/** The fields of a format by Cadre's name, each with its accepted keys, the preferred one first. */
export type FieldKeys = Readonly<Record<string, readonly string[]>>;

/** A field as written. */
export interface Field {
  /** The key in the file. */
  key: string;
  value: JsonValue;
}

/** The fields of one file while they are read. */
export interface Fields {
  path: string;
  written: ReadonlyMap<string, Field>;
  /** Keys that are not fields of the format, as written. */
  extra: JsonObject;
  diagnostics: Diagnostic[];
  /** The line of each written field. */
  lines: Record<string, number>;
  /** The names of the program's tools. */
  ownTools: readonly string[];
  /** Reports a finding and adds the position of its `keys`. */
  report: Report;
}

/** The keys of a file before they are sorted into fields. */
export interface Written extends Pick<Frontmatter, "path" | "data" | "positionOf" | "diagnostics"> {
  /** See `AgentFile.ownTools`. */
  ownTools?: readonly string[] | undefined;
}

/**
 * Sorts the keys of a file into fields. Wrong case, unknown keys and double spellings are warnings, or errors if they could lose
 * a restriction.
 */
export function openFields(source: Written, keysOfFields: FieldKeys): Fields {
  const { path, data, positionOf, ownTools = [] } = source;
  const diagnostics = [...source.diagnostics];
  const written = new Map<string, Field>();
  const extra = new Map<string, JsonValue>();
  const lines: Record<string, number> = {};
  const nested = new Map<string, KeyPath>();
  const report = ([key = "", ...rest]: KeyPath, finding: Finding): void => {
    const keys = key === "" ? [] : [...(nested.get(String(key)) ?? [key]), ...rest];
    diagnostics.push({ path, ...positionOf(...keys), ...finding });
  };
  for (const [key, value] of Object.entries(data ?? {})) {
    const name = fieldOf(key, keysOfFields);
    if (name === null) {
      extra.set(key, value);
      continue;
    }
    if (!keysOfFields[name]?.includes(key)) report([key], wrongCase(key, keysOfFields[name]?.[0]));
    const earlier = written.get(name);
    if (earlier !== undefined) {
      const isLost = JSON.stringify(earlier.value) !== JSON.stringify(value);
      const severity = isRestricting(name) && isLost ? "error" : "warning";
      report([key], { ...writtenTwice(earlier.key, key), severity });
    }
    written.set(name, { key, value });
    lines[name] = positionOf(key).line;
  }
  const others = { diagnostics, lines, ownTools, report };
  const fields = { path, written, extra: Object.fromEntries(extra), ...others };
  for (const [key, value] of extra) {
    const meant = findOtherRestrictions(value).filter(
      ({ field }) => !written.has(field) && keysOfFields[field] !== undefined,
    );
    for (const restriction of meant) {
      const place = [key, ...restriction.path];
      nested.set(place.join("."), place);
      written.set(restriction.field, { key: place.join("."), value: restriction.value });
      lines[restriction.field] = positionOf(...place).line;
      report([place.join(".")], readAsField(place.join("."), restriction));
    }
    if (meant.length === 0) report([key], unknownKey(key, keysOfFields));
  }
  return fields;
}

function fieldOf(key: string, keysOfFields: FieldKeys): string | null {
  const entries = Object.entries(keysOfFields);
  const exact = entries.find(([, keys]) => keys.includes(key));
  const found =
    exact ?? entries.find(([, keys]) => keys.some((one) => plainKey(one) === plainKey(key)));
  return found?.[0] ?? null;
}

/**
 * An unknown key that was probably meant to restrict is an error, because without effect it would give the agent more than
 * intended.
 */
function unknownKey(key: string, keysOfFields: FieldKeys): Finding {
  if (key === "<<") return mergeKey;
  const meant = nearest(key, Object.values(keysOfFields).flat());
  const field = meant === null ? null : fieldOf(meant, keysOfFields);
  const usual = field === null ? null : usualKey(meant ?? "", keysOfFields[field] ?? []);
  const hint = usual === null ? "" : ` Did you mean \`${usual}\`?`;
  const message = `\`${key}\` is not a field of this format; it is kept, but has no effect.${hint}`;
  const fix =
    usual === null
      ? "Remove it, unless another program reads it."
      : `Write \`${usual}\`, or remove it.`;
  const severity = field !== null && isRestricting(field) ? "error" : "warning";
  return { severity, code: "unknown-key", message, fix };
}

/** Returns the key to suggest for a field; another spelling of the same word stays. */
function usualKey(key: string, [preferred = key, ...others]: readonly string[]): string {
  return others.includes(key) && plainKey(key) !== plainKey(preferred) && key === plainKey(key)
    ? preferred
    : key;
}

const mergeKey: Finding = {
  severity: "error",
  code: "merge-key",
  message: "`<<` merges keys in some versions of YAML; it is not supported.",
  fix: "Write the keys out.",
};

function readAsField(key: string, { field, value }: OtherRestriction): Finding {
  const usual = value === true ? `${plainKey(field)}: true` : `${field}:`;
  const message = `\`${key}\` was read as \`${usual}\`.`;
  const fix = `Write \`${usual}\` on its own line, not below another key.`;
  return { severity: "warning", code: "key-meant", message, fix };
}

function wrongCase(key: string, preferred = key): Finding {
  const message = `\`${key}\` was read as \`${preferred}\`.`;
  return { severity: "warning", code: "key-case", message, fix: `Write \`${preferred}:\`` };
}

function writtenTwice(earlier: string, key: string): Finding {
  const message = `\`${key}\` means the same as \`${earlier}\` above; the later one is used.`;
  return { severity: "warning", code: "duplicate-key", message, fix: "Keep one of them." };
}
