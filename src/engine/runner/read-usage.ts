import { noUsage, type Usage } from "../../run/usage.ts";
import { isRecord } from "../../source/json.ts";

/** The tokens that a turn took, where a runner says so (not all do); in the way Cadre counts, cached input is input. */
export function readUsage(usage: unknown): Usage {
  if (!isRecord(usage)) return noUsage;
  const count = (name: string): number => {
    const value = usage[name];
    return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
  };
  const [cacheReadTokens, cacheWriteTokens] = [
    count("cachedReadTokens"),
    count("cachedWriteTokens"),
  ];
  return {
    inputTokens: count("inputTokens") + cacheReadTokens + cacheWriteTokens,
    outputTokens: count("outputTokens"),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: count("thoughtTokens"),
  };
}
