import type { SubAgentInput } from "../contract.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";

/** What an agent is called with that can also be delegated to outside of pipelines: then nothing of the contract is there. */
export type MaybeSubAgentInput = Partial<SubAgentInput>;

/**
 * What an entry of a prompt file says to its agent: its `options`, else what else stands in the entry, else the parameter
 * `name` of the prompt file, as pro@coder has it.
 */
export function readAgentOptions(
  { agent_config: config, coder_params: params }: MaybeSubAgentInput,
  name: string,
): JsonObject {
  const parameter = params?.[name];
  const short = typeof parameter === "string" ? { model: parameter } : asTable(parameter);
  return { ...short, ...asTable(config), ...config?.options };
}

/** A table that comes from anywhere; what is none is an empty one. */
export function asTable(value: unknown): JsonObject {
  const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
  return isTable ? (value as JsonObject) : {};
}

/** An option that is a list of texts; a single text is a list of one. */
export function readTexts(value: JsonValue | undefined): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** An option that is a number, kept within bounds. */
export function readNumber(
  value: JsonValue | undefined,
  { usual, most }: { usual: number; most: number },
): number {
  const isRight = typeof value === "number" && Number.isFinite(value) && value >= 1;
  return Math.min(most, isRight ? Math.floor(value) : usual);
}

/** The model an entry names. */
export function readModel(options: JsonObject): { model?: string } {
  const { model } = options;
  return typeof model === "string" && model !== "" ? { model } : {};
}

/** Globs, and the folder of the workspace they are meant from; absent = the workspace. */
export interface GlobChoice {
  globs: string[];
  base?: string;
}

/**
 * The globs of the files an agent looks at: its own, which are meant from the workspace; else those of the first of `lists`
 * that the prompt file has any of; else all.
 */
export function chooseGlobs(
  own: readonly string[],
  params: JsonObject,
  lists: readonly (readonly string[])[],
): GlobChoice {
  if (own.length > 0) return { globs: [...own] };
  const given = lists.map((names) => names.flatMap((name) => readTexts(params[name])));
  const { base_dir: base } = params;
  return {
    globs: given.find((globs) => globs.length > 0) ?? ["**/*"],
    ...(typeof base === "string" && { base }),
  };
}
