import { noUsage, type Usage } from "../../run/usage.ts";
import { isRecord } from "../../source/json.ts";

/** Reads the tokens of a turn from the response to a prompt, if the agent reports them. Cached input counts as input. */
export function readUsage({ usage, _meta: meta }: Record<string, unknown>): Usage {
  if (isRecord(usage)) {
    return toUsage(usage, {
      input: "inputTokens",
      output: "outputTokens",
      cacheRead: "cachedReadTokens",
      cacheWrite: "cachedWriteTokens",
      reasoning: "thoughtTokens",
    });
  }
  // Gemini CLI reports its tokens here.
  const quota = isRecord(meta) && isRecord(meta["quota"]) ? meta["quota"]["token_count"] : null;
  return isRecord(quota)
    ? toUsage(quota, { input: "input_tokens", output: "output_tokens" })
    : noUsage;
}

interface TokenNames {
  input: string;
  output: string;
  cacheRead?: string;
  cacheWrite?: string;
  reasoning?: string;
}

function toUsage(counts: Record<string, unknown>, names: TokenNames): Usage {
  const count = (name = ""): number => {
    const value = counts[name];
    return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
  };
  const [cacheReadTokens, cacheWriteTokens] = [count(names.cacheRead), count(names.cacheWrite)];
  return {
    inputTokens: count(names.input) + cacheReadTokens + cacheWriteTokens,
    outputTokens: count(names.output),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: count(names.reasoning),
  };
}
