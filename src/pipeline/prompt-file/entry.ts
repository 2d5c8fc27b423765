import type { Severity } from "../../source/diagnostic.ts";
import { isEmptyList, isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import type { KeyPath } from "../../source/position.ts";
import { describeJson } from "./describe-json.ts";
import { findMeantRootEvent, findSubscriptionProblem } from "../event/event-name.ts";
import { findSimilarEvents, type SimilarEvent } from "../event/similar-event.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** One sub-agent of a pipeline with all defaults. Other fields of its entry are kept. */
export interface AgentConfig {
  /** An agent's name, or a path to one. */
  name: string;
  /** Default `true`. */
  enabled: boolean;
  /** The events it runs on, without repeats; default `["start"]`. */
  on: string[];
  options?: JsonObject;
  [key: string]: JsonValue | undefined;
}

/** A finding about a list of entries. */
export interface EntryFinding {
  /** The place in the list: an index, optionally followed by keys. */
  keys: KeyPath;
  severity: Severity;
  /** Kebab-case and stable, such as `entry-name`. */
  code: string;
  message: string;
  fix: string | null;
}

/** The valid entries of a list, and all findings. */
export interface NormalizedEntries {
  configs: AgentConfig[];
  findings: EntryFinding[];
}

type Report = (finding: EntryFinding) => void;

/** Fields of earlier versions, with the fix. */
export const legacyFields: ReadonlyMap<string, string> = new Map([
  ["stage_pre", "Write `on: start` instead."],
  ["stage_post", "Write `on: end` instead."],
  [
    "coder_stage",
    "Write `on: start` (pre), `on: task::start` (pre_task), `on: task::end` (post_task) or `on: end` (post) instead.",
  ],
]);

/**
 * Reads `sub_agents`, a list of names and tables. Entries with an error are left out of the configs; `null` and `undefined` count
 * as an empty list.
 */
export function normalizeEntries(value: unknown): NormalizedEntries {
  const findings: EntryFinding[] = [];
  const report: Report = (finding) => void findings.push(finding);
  if (value === undefined || value === null) return { configs: [], findings };
  if (!Array.isArray(value)) {
    const message = `Expected a list of agents, names or tables; got ${describeJson(value)}.`;
    const fix = 'Write a list, such as `["auto-context"]`.';
    report({ keys: [], severity: "error", code: "entries-not-a-list", message, fix });
    return { configs: [], findings };
  }
  const configs = value.flatMap((entry, index) => normalizeEntry(entry, index, report) ?? []);
  const names = configs.map(({ name }) => name);
  for (const similar of findSimilarEvents(value, names)) report(warnOfSimilar(similar));
  return { configs, findings };
}

/** Warns of a similar event, which would otherwise silently keep the agent from running. */
function warnOfSimilar({ keys, event, meant }: SimilarEvent): EntryFinding {
  const message = `\`${event}\` runs only when an agent emits it: the pipeline's own event is \`${meant}\`. Did you mean \`${meant}\`?`;
  const fix = `Write \`${meant}\`.`;
  return { keys, severity: "warning", code: "event-never-dispatched", message, fix };
}

function normalizeEntry(entry: unknown, index: number, report: Report): AgentConfig | null {
  if (typeof entry === "string") return normalizeTable({ name: entry }, [index], report);
  if (isRecord(entry)) return normalizeTable(entry as JsonObject, [index], report);
  const message = `Expected a name or a table with a \`name\`; got ${describeJson(entry)}.`;
  report({ keys: [index], severity: "error", code: "entry-shape", message, fix: null });
  return null;
}

function normalizeTable(entry: JsonObject, at: KeyPath, report: Report): AgentConfig | null {
  let isUsable = true;
  const fail: Report = (finding) => {
    isUsable = isUsable && finding.severity !== "error";
    report(finding);
  };
  const name = readName(entry["name"], at, fail);
  const enabled = readEnabled(entry["enabled"], at, fail);
  const on = readOn(entry["on"], at, fail);
  const options = readOptions(entry["options"], at, fail);
  const rest = new Map(Object.entries(entry));
  for (const key of ["name", "enabled", "on", "options"]) rest.delete(key);
  for (const [key, fix] of legacyFields) {
    if (!rest.has(key)) continue;
    const message = `Expected \`on\` with the events of the sub-agent; got \`${key}\`, which is no longer a field of sub-agents.`;
    fail({ keys: [...at, key], severity: "error", code: "entry-legacy", message, fix });
  }
  if (!isUsable) return null;
  return {
    name,
    enabled,
    on,
    ...omitUndefined({ options }),
    ...Object.fromEntries(rest),
  };
}

function readName(value: unknown, at: KeyPath, fail: Report): string {
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  const isThere = value !== undefined && value !== null;
  const got = isThere ? describeJson(value) : "none";
  const message = `Expected a \`name\`, the name of an agent or a path to one; got ${got}.`;
  const keys = isThere && at.length > 0 ? [...at, "name"] : at;
  fail({ keys, severity: "error", code: "entry-name", message, fix: null });
  return "";
}

function readEnabled(value: unknown, at: KeyPath, fail: Report): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === "boolean") return value;
  const message = `Expected \`enabled\` to be \`true\` or \`false\`; got ${describeJson(value)}.`;
  fail({ keys: [...at, "enabled"], severity: "error", code: "entry-enabled", message, fix: null });
  return false;
}

/** The options that affect how the agent runs. */
const knownOptions: readonly (readonly [string, string, (value: unknown) => boolean])[] = [
  ["merge_params", "true or false", (value) => typeof value === "boolean"],
  ["model", "the name of a model", (value) => typeof value === "string" && value.trim() !== ""],
  ["temperature", "a number", (value) => typeof value === "number"],
];

function readOptions(value: unknown, at: KeyPath, fail: Report): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (isEmptyList(value)) return {};
  const keys = [...at, "options"];
  const code = "entry-options";
  if (!isRecord(value)) {
    const message = `Expected \`options\` to be a table; got ${describeJson(value)}.`;
    fail({ keys, severity: "error", code, message, fix: null });
    return undefined;
  }
  for (const [name, expected, isRight] of knownOptions) {
    const option = value[name] ?? null;
    if (option === null || isRight(option)) continue;
    const message = `Expected \`options.${name}\` to be ${expected}; got ${describeJson(option)}.`;
    fail({ keys: [...keys, name], severity: "error", code, message, fix: null });
  }
  return value as JsonObject;
}

function readOn(value: unknown, at: KeyPath, fail: Report): string[] {
  if (value === undefined || value === null) return ["start"];
  const keys = [...at, "on"];
  const events = typeof value === "string" ? [value] : value;
  if (!Array.isArray(events) || events.length === 0) {
    const got = Array.isArray(events) ? "an empty list" : describeJson(value);
    const message = `Expected \`on\` to be an event or a list of events; got ${got}.`;
    const fix = "Write `on: start`, or `on: [start, end]`.";
    fail({ keys, severity: "error", code: "entry-on", message, fix });
    return [];
  }
  for (const [index, event] of events.entries()) {
    const place = typeof value === "string" ? keys : [...keys, index];
    if (events.indexOf(event) < index) warnTwice(String(event), place, fail);
    else checkEvent(event, place, fail);
  }
  return [...new Set(events.filter((event) => typeof event === "string"))];
}

function checkEvent(event: unknown, keys: KeyPath, fail: Report): void {
  if (typeof event !== "string") {
    const message = `Expected the name of an event; got ${describeJson(event)}.`;
    return fail({ keys, severity: "error", code: "event-name", message, fix: null });
  }
  const problem = findSubscriptionProblem(event);
  if (problem === null) return;
  const meant = findMeantRootEvent(event);
  const fix = meant === null ? null : `Write \`${meant}\`.`;
  fail({ keys, severity: "error", code: "event-name", message: problem, fix });
}

function warnTwice(event: string, keys: KeyPath, fail: Report): void {
  const message = `\`${event}\` is already in this list; an agent runs once per event.`;
  const fix = "Remove it.";
  fail({ keys, severity: "warning", code: "event-twice", message, fix });
}
