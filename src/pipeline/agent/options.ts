import type { SubAgentInput } from "../sub-agent/contract.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";

/** The input of an agent that can also run outside a pipeline, where all fields of the contract are absent. */
export type MaybeSubAgentInput = Partial<SubAgentInput>;

/**
 * Returns the options of an agent's entry: its `options`, then the other fields of the entry, then the parameter `name` of the
 * prompt file, as in pro@coder. The first value of a key wins.
 */
export function readAgentOptions(
  { agent_config: config, coder_params: params }: MaybeSubAgentInput,
  name: string,
): JsonObject {
  const parameter = params?.[name];
  const short = typeof parameter === "string" ? { model: parameter } : asTable(parameter);
  return { ...short, ...asTable(config), ...config?.options };
}

/** Returns a value of unknown origin as a table; an empty table for other values. */
export function asTable(value: unknown): JsonObject {
  const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
  return isTable ? (value as JsonObject) : {};
}

/** Reads an option that is a list of texts. A single text counts as a list of one. */
export function textsOption(value: JsonValue | undefined): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Reads an option that is a number, and limits it. */
export function numberOption(
  value: JsonValue | undefined,
  { fallback, max }: { fallback: number; max: number },
): number {
  const isRight = typeof value === "number" && Number.isFinite(value) && value >= 1;
  return Math.min(max, isRight ? Math.floor(value) : fallback);
}

/** Reads the option `model`. */
export function modelOption(options: JsonObject): { model?: string } {
  const { model } = options;
  return typeof model === "string" && model !== "" ? { model } : {};
}

/** Globs, and the folder they are relative to; absent = the workspace. */
export interface GlobChoice {
  globs: string[];
  base?: string;
}

/**
 * Chooses the globs of an agent: its own, relative to the workspace; otherwise the first non-empty of `lists` in the prompt file;
 * otherwise all files.
 */
export function chooseGlobs(
  own: readonly string[],
  params: JsonObject,
  lists: readonly (readonly string[])[],
): GlobChoice {
  if (own.length > 0) return { globs: [...own] };
  const given = lists.map((names) => names.flatMap((name) => textsOption(params[name])));
  const { base_dir: base } = params;
  return {
    globs: given.find((globs) => globs.length > 0) ?? ["**/*"],
    ...(typeof base === "string" && { base }),
  };
}
