/** Models that a program passes as objects. */

import type { LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import { isRecord } from "../source/json.ts";

/** A language model of the AI SDK, version 3 or 4 of its interface. */
export type ModelObject = LanguageModelV3 | LanguageModelV4;

/** Returns the problem of a value that should be a {@link ModelObject}; `null` = none. */
export function findModelProblem(value: unknown): string | null {
  const expected = "a language model of the AI SDK (specification v3 or v4)";
  if (typeof value === "function") {
    return `expected ${expected}, got a function: call the provider with a model id, as in \`createAnthropic()("claude-sonnet-4-5")\``;
  }
  if (!isRecord(value)) return `expected ${expected}`;
  const { specificationVersion: version } = value;
  if (version !== "v3" && version !== "v4") {
    if (typeof version !== "string") return `expected ${expected}, got another object`;
    return `expected ${expected}, got specification ${version}. Install a version of its package for AI SDK 6 or later`;
  }
  const functions = ["doGenerate", "doStream"].filter((one) => typeof value[one] !== "function");
  const texts = ["provider", "modelId"].filter((one) => typeof value[one] !== "string");
  const missing = [...functions, ...texts];
  return missing.length === 0
    ? null
    : `expected ${expected}, got one without ${missing.join(", ")}`;
}
