import type { JsonObject } from "../source/json.ts";
import type { TaskCall } from "./delegation.ts";

/** Returns the step key of a task call. `prefix` is the attempt's prefix. */
export function taskCallKey(prefix: string, index: number): string {
  return `${prefix}task/${index}`;
}

/** Converts a task call to a tool call. */
export function toToolCall(call: TaskCall): { tool: string; input: JsonObject } {
  return "file" in call
    ? { tool: "Read", input: { file_path: call.file } }
    : { tool: "Bash", input: { command: call.command } };
}

/** Returns the tool call of the step `key`; `undefined` when the step is not a task call. */
export function findTaskCall(
  calls: readonly TaskCall[] = [],
  key: string,
): { tool: string; input: JsonObject } | undefined {
  const [, index] = /^(?:try\/\d+\/)?task\/(\d+)$/.exec(key) ?? [];
  const call = index === undefined ? undefined : calls[Number(index)];
  return call && toToolCall(call);
}
