import type { z } from "zod";
import { CadreError } from "../errors.ts";
import type { Diagnostic, Finding } from "../source/diagnostic.ts";
import { isRecord, type JsonObject, type JsonValue } from "../source/json.ts";
import { didYouMean } from "../source/nearest.ts";
import { describeAbsentTool, isForAbsentTool } from "../run/permission-rule.ts";
import type { KeyPath, PositionFinder } from "../source/position.ts";
import { readTextFile } from "../source/file/text-file.ts";
import { readYaml } from "../source/yaml/yaml.ts";
import { shortForms } from "./sandbox-setting.ts";
import { findSetting, keysBelow, type Setting } from "./settings.ts";
import { explainSetting } from "./secret-value.ts";

/** A value from one source. */
export interface LayerEntry {
  keys: readonly string[];
  setting: Setting;
  value: JsonValue;
  /** The origin: `path:line`, `environment NAME` or ``the option `name` ``. */
  origin: string;
}

/** The values of one source, by dotted key. */
export type Layer = Map<string, LayerEntry>;

interface Reading {
  layer: Layer;
  originOf: (keys: readonly string[]) => string;
  report: (keys: KeyPath, finding: Finding) => void;
  /** The names of the program's tools. */
  ownTools: readonly string[];
}

/**
 * Reads a configuration file. Invalid entries (an unknown key, a wrong type) are errors with their position and are
 * omitted from the layer. A missing file gives an empty layer. Rules may name `ownTools`, the program's tools.
 */
export async function readLayer(
  path: string,
  ownTools: readonly string[] = [],
): Promise<{ layer: Layer; diagnostics: Diagnostic[]; positionOf: PositionFinder }> {
  const layer: Layer = new Map();
  const { text, diagnostics } = await readTextFile(path);
  const yaml = readYaml(text ?? "", path);
  const { positionOf } = yaml;
  if (diagnostics.some((finding) => finding.code === "not-found")) {
    return { layer, diagnostics: [], positionOf };
  }
  diagnostics.push(...yaml.diagnostics);
  const reading: Reading = {
    layer,
    originOf: (keys) => `${path}:${positionOf(...keys).line}`,
    report: (keys, finding) => void diagnostics.push({ path, ...positionOf(...keys), ...finding }),
    ownTools,
  };
  const value = yaml.value ?? {};
  if (isRecord(value)) readGroup(value, [], reading);
  else report([], wrong("the file", "a map of settings", showValue(value)), reading);
  return { layer, diagnostics, positionOf };
}

/**
 * Reads settings that a program gives in the form of a configuration file. Messages name them by `origin`.
 *
 * @throws CadreError `config-invalid` that lists every problem.
 */
export function readGivenSettings(
  settings: JsonObject,
  origin: string,
  ownTools: readonly string[] = [],
): Layer {
  const layer: Layer = new Map();
  const problems: string[] = [];
  const collect: Reading["report"] = (_, { severity, message }) => {
    if (severity === "error") problems.push(message);
  };
  readGroup(settings, [], { layer, originOf: () => origin, report: collect, ownTools });
  if (problems.length === 0) return layer;
  const message = `Expected ${origin} to have settings as in .cadre/config.yaml:\n- ${problems.join("\n- ")}`;
  throw new CadreError("config-invalid", message);
}

function readGroup(group: JsonObject, above: readonly string[], reading: Reading): void {
  for (const [key, value] of Object.entries(group)) {
    const keys = [...above, key];
    const setting = findSetting(keys);
    if (setting !== null) readSetting(setting, keys, value, reading);
    else if (keysBelow(keys).length === 0) report(keys, unknown(keys), reading);
    else if (isRecord(value)) readGroup(value, keys, reading);
    else if (value !== null && shortForms[keys.join(".")] !== undefined)
      readShortForm(keys, value, reading);
    else if (value !== null)
      report(keys, wrong(keys.join("."), "a map of settings", showValue(value)), reading);
  }
}

/** Reads a single value for one setting of the group. */
function readShortForm(keys: readonly string[], value: JsonValue, reading: Reading): void {
  const inner = [...keys, shortForms[keys.join(".")] ?? ""];
  const setting = findSetting(inner);
  if (setting !== null) readSetting(setting, inner, value, reading);
}

interface SettingProblem {
  setting: Setting;
  /** The keys of the setting. */
  keys: readonly string[];
  /** The place of the problem: in the setting, or the setting itself. */
  path: readonly (string | number)[];
  value: JsonValue;
}

function readSetting(
  setting: Setting,
  keys: readonly string[],
  value: JsonValue,
  reading: Reading,
): void {
  const { originOf, layer, ownTools } = reading;
  // A key without a value sets nothing, for example after everything below it was commented out.
  if (value === null) return;
  const parsed = setting.createSchema(ownTools).safeParse(value, { error: explainSetting });
  if (parsed.success) {
    const entry = { keys, setting, value: parsed.data as JsonValue, origin: originOf(keys) };
    layer.set(keys.join("."), entry);
    if (setting.hasRules === true) warnOfAbsentTools(keys, value, reading);
    return;
  }
  for (const issue of withoutResults(parsed.error.issues)) {
    const path = [...keys, ...issue.path].filter((key) => typeof key !== "symbol");
    const [unknownKey] = issue.code === "unrecognized_keys" ? issue.keys : [];
    const place = unknownKey === undefined ? path : [...path, unknownKey];
    report(place, describeProblem(issue, { setting, keys, path, value }), reading);
  }
}

/** Returns the issues without those that may only result from a misspelt key of the same map. */
function withoutResults(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const misspelt = new Set(
    issues.filter(({ code }) => code === "unrecognized_keys").map(({ path }) => path.join(".")),
  );
  return issues.filter(({ code, path }) => code !== "custom" || !misspelt.has(path.join(".")));
}

/** Describes a problem with a setting or, by its own path, with something inside the setting. */
function describeProblem(
  issue: z.core.$ZodIssue,
  { setting, keys, path, value }: SettingProblem,
): ReturnType<typeof wrong> {
  const { expected, isSecret } = setting;
  const isInside = path.length > keys.length || issue.code === "unrecognized_keys";
  if (isInside || issue.code === "custom") {
    return {
      code: "wrong-type",
      message: `${path.join(".")}: ${issue.message.replace(/\.$/, "")}.`,
    };
  }
  return wrong(keys.join("."), expected, isSecret === true ? "another value" : showValue(value));
}

function warnOfAbsentTools(keys: readonly string[], rules: JsonValue, reading: Reading): void {
  const { ownTools } = reading;
  for (const [index, rule] of (Array.isArray(rules) ? rules : []).entries()) {
    if (typeof rule !== "string" || !isForAbsentTool(rule, ownTools)) continue;
    const finding = { severity: "warning", code: "unknown-tool", fix: null } as const;
    reading.report([...keys, index], { ...finding, message: describeAbsentTool(rule) });
  }
}

function unknown(keys: readonly string[]): { code: string; message: string } {
  const above = keys.slice(0, -1);
  const candidates = keysBelow(above);
  const hint = didYouMean(keys.at(-1) ?? "", candidates);
  const message = `\`${keys.join(".")}\` is not a known setting. Expected one of ${candidates.join(", ")}.${hint}`;
  return { code: "unknown-key", message };
}

function wrong(name: string, expected: string, got: string): { code: string; message: string } {
  return { code: "wrong-type", message: `Expected ${name} to be ${expected}; got ${got}.` };
}

/** Shows a value on one line. A map, and a list with maps, are only named, because they may contain secrets. */
function showValue(value: JsonValue): string {
  if (isRecord(value)) return "a map";
  if (Array.isArray(value) && value.some((item) => typeof item === "object")) return "a list";
  const shown = JSON.stringify(value);
  return shown.length > 80 ? `${shown.slice(0, 77)}…` : shown;
}

function report(
  keys: readonly (string | number)[],
  { code, message }: { code: string; message: string },
  reading: Reading,
): void {
  reading.report(keys, { severity: "error", code, message, fix: null });
}
