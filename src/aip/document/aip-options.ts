import { z } from "zod";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { ownValue } from "../../source/own-value.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The options of an agent: from `# Options`, a configuration, a caller, or a stage. Unknown keys are kept. */
export type AipOptions = {
  /** A model, or an alias of `model_aliases`. */
  model?: string;
  temperature?: number;
  top_p?: number;
  /** The number of inputs processed at a time. Default 1. */
  input_concurrency?: number;
  /** Short names of models. */
  model_aliases?: Record<string, string>;
  /** Whether the other inputs continue when one fails; its output is then `{ error }`. Default `false`. */
  allow_run_on_task_fail?: boolean;
} & JsonObject;

const schema = z.looseObject({
  model: z.string().optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  // Scripts pass the length of a list, which may be 0.
  input_concurrency: z
    .int()
    .min(0)
    .transform((count) => Math.max(count, 1))
    .optional(),
  model_aliases: z.record(z.string(), z.string()).optional(),
  allow_run_on_task_fail: z.boolean().optional(),
});

/** Valid options, and the problems of the others. */
export interface AipOptionsReading {
  options: AipOptions;
  /** Each message states the expected and the actual value. The options omit the key. */
  problems: { key: string; message: string }[];
}

/** Reads options from JSON; `null` is the same as absent. */
export function readAipOptions(value: unknown): AipOptionsReading {
  if (!isRecord(value)) {
    const isNothing =
      value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    const problem = { key: "options", message: "expected a table of keys and values" };
    return { options: {}, problems: isNothing ? [] : [problem] };
  }
  const given = Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null));
  // Lua's empty table arrives as an empty list.
  if (Array.isArray(given["model_aliases"]) && given["model_aliases"].length === 0)
    delete given["model_aliases"];
  const result = schema.safeParse(given);
  if (result.success) return { options: result.data as AipOptions, problems: [] };
  const problems = result.error.issues.map(({ path, message }) => ({
    key: path.join("."),
    message,
  }));
  const bad = new Set(result.error.issues.map(({ path }) => path[0]));
  const kept = Object.fromEntries(Object.entries(given).filter(([key]) => !bad.has(key)));
  return { options: kept as AipOptions, problems };
}

/** Merges `over` over `base`. Model aliases are merged by name. */
export function mergeAipOptions(base: AipOptions, over: AipOptions): AipOptions {
  const aliases = { ...base.model_aliases, ...over.model_aliases };
  const merged = { ...base, ...over };
  if (Object.keys(aliases).length > 0) merged.model_aliases = aliases;
  return merged;
}

/** A model, and its reasoning effort. */
export interface AipModel {
  model: string;
  effort?: "low" | "medium" | "high";
}

/** AIPack's suffixes of model names, with the effort they stand for. */
const efforts: Readonly<Record<string, AipModel["effort"]>> = {
  "-none": "low",
  "-zero": "low",
  "-minimal": "low",
  "-low": "low",
  "-medium": "medium",
  "-high": "high",
  "-xhigh": "high",
  "-max": "high",
};
const suffixed = new RegExp(`^(.+)(${Object.keys(efforts).join("|")})$`);

/** Resolves an alias. Returns the model, and the suffix of the alias: `fast-high` is the alias `fast` with `-high`. */
function resolveModel({ model, model_aliases = {} }: AipOptions): [string, string] | undefined {
  if (model === undefined) return undefined;
  const aliases = new Map(Object.entries(model_aliases));
  const [, base = "", suffix = ""] = suffixed.exec(model) ?? [];
  const direct = aliases.get(model);
  const target = direct === undefined ? aliases.get(base) : undefined;
  return target === undefined ? [direct ?? model, ""] : [target, suffix];
}

/**
 * Returns the model of `options`; `undefined` without one. The suffixes of AIPack's model names (`gpt-5-high`,
 * `openai::gpt-5-high`) set the effort; Cadre's references (`provider:model`) are used unchanged.
 */
export function chooseAipModel(options: AipOptions): AipModel | undefined {
  const resolved = resolveModel(options);
  if (resolved === undefined) return undefined;
  const [name, behind] = resolved;
  const isReference = /^[^:]+:(?!:)/.test(name);
  const [, model = name, suffix = behind] = (isReference ? null : suffixed.exec(name)) ?? [];
  const effort = ownValue(efforts, behind === "" ? suffix : behind);
  // AIPack writes two colons after the provider.
  return { model: model.replace("::", ":"), ...omitUndefined({ effort }) };
}

/** Returns the options for Lua, with the resolved model. */
export function optionsForLua(options: AipOptions): JsonObject {
  const resolved = resolveModel(options);
  return resolved === undefined
    ? { ...options }
    : { ...options, resolved_model: resolved.join("") };
}
