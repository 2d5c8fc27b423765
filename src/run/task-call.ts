import type { JsonObject } from "../source/json.ts";
import type { TaskCall } from "./delegation.ts";

/** The key of the step of a call of the task. `prefix` is that of the attempt. */
export function taskCallKey(prefix: string, index: number): string {
  return `${prefix}task/${index}`;
}

/** Converts a call of the task to that of a tool. */
export function toToolCall(call: TaskCall): { tool: string; input: JsonObject } {
  return "file" in call
    ? { tool: "Read", input: { file_path: call.file } }
    : { tool: "Bash", input: { command: call.command } };
}

/** Returns the tool call of the step `key`; `undefined` when it is none of the task. */
export function findTaskCall(
  calls: readonly TaskCall[] = [],
  key: string,
): { tool: string; input: JsonObject } | undefined {
  const [, index] = /^(?:try\/\d+\/)?task\/(\d+)$/.exec(key) ?? [];
  const call = index === undefined ? undefined : calls[Number(index)];
  return call && toToolCall(call);
}
