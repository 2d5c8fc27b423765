import { z } from "zod";
import { isRecord, type JsonObject, type JsonValue } from "../source/json.ts";
import { ownValue } from "../source/own-value.ts";

/** How an agent runs: `# Options` of a file, a configuration, a caller, or a stage. Unknown keys are kept. */
export interface AipOptions {
  /** A model or one of `model_aliases`. */
  model?: string;
  temperature?: number;
  top_p?: number;
  /** How many inputs are worked on at a time. Default 1. */
  input_concurrency?: number;
  /** Short names of models. */
  model_aliases?: Record<string, string>;
  /** Whether the other inputs go on when one fails; its output is then `{ error }`. Default `false`. */
  allow_run_on_task_fail?: boolean;
  [key: string]: JsonValue;
}

const schema = z.looseObject({
  model: z.string().optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  // Scripts give the length of a list, which may be empty.
  input_concurrency: z
    .int()
    .min(0)
    .transform((count) => Math.max(count, 1))
    .optional(),
  model_aliases: z.record(z.string(), z.string()).optional(),
  allow_run_on_task_fail: z.boolean().optional(),
});

/** Options that were read, and what is wrong with the others. */
export interface AipOptionsReading {
  options: AipOptions;
  /** Each says the key, what was expected and what came. Such a key is left out. */
  problems: { key: string; message: string }[];
}

/** Reads options out of JSON; `null` is the same as absent. */
export function readAipOptions(value: unknown): AipOptionsReading {
  if (!isRecord(value)) {
    const isNothing =
      value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    const problem = { key: "options", message: "options are a table of keys and values" };
    return { options: {}, problems: isNothing ? [] : [problem] };
  }
  const given = Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null));
  // Lua has one empty table; here it is a map.
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

/** `over` on top of `base`; aliases of models are merged name by name. */
export function mergeAipOptions(base: AipOptions, over: AipOptions): AipOptions {
  const aliases = { ...base.model_aliases, ...over.model_aliases };
  const merged = { ...base, ...over };
  if (Object.keys(aliases).length > 0) merged.model_aliases = aliases;
  return merged;
}

/** A model to ask, and how much it shall reason. */
export interface AipModel {
  model: string;
  effort?: "low" | "medium" | "high";
}

/** What AIPack writes behind the name of a model, and what that is here. */
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

/** The model behind an alias, or the name itself, and what stood behind the alias: `fast-high` is `fast` with `-high`. */
function resolveModel({ model, model_aliases = {} }: AipOptions): [string, string] | undefined {
  if (model === undefined) return undefined;
  const aliases = new Map(Object.entries(model_aliases));
  const [, base = "", suffix = ""] = suffixed.exec(model) ?? [];
  const direct = aliases.get(model);
  const target = direct === undefined ? aliases.get(base) : undefined;
  return target === undefined ? [direct ?? model, ""] : [target, suffix];
}

/**
 * The model of `options` to ask for; `undefined` when they name none. What stands behind the names of AIPack's models
 * (`gpt-5-high`, `openai::gpt-5-high`) is no part of them; references of Cadre (`provider:model`) are taken as they are.
 */
export function chooseAipModel(options: AipOptions): AipModel | undefined {
  const resolved = resolveModel(options);
  if (resolved === undefined) return undefined;
  const [name, behind] = resolved;
  const isReference = /^[^:]+:(?!:)/.test(name);
  const [, model = name, suffix = behind] = (isReference ? null : suffixed.exec(name)) ?? [];
  const effort = ownValue(efforts, behind === "" ? suffix : behind);
  // AIPack writes providers with two colons.
  return { model: model.replace("::", ":"), ...(effort !== undefined && { effort }) };
}

/** The options as Lua sees them: with the model behind an alias beside it. */
export function optionsForLua(options: AipOptions): JsonObject {
  const resolved = resolveModel(options);
  return resolved === undefined
    ? { ...options }
    : { ...options, resolved_model: resolved.join("") };
}
