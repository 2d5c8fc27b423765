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
  return { ...asTable(parameter), ...config, ...config?.options };
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

/** The globs of the files an agent looks at: its own, else those of the structure and the context, else all. */
export function chooseGlobs(own: readonly string[], params: JsonObject | undefined): string[] {
  if (own.length > 0) return [...own];
  const given = [
    ...readTexts(params?.["structure_globs"]),
    ...readTexts(params?.["context_globs"]),
  ];
  return given.length > 0 ? given : ["**/*"];
}
