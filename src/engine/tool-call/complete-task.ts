import type { TaskCall } from "../../run/delegation.ts";
import { taskCallKey, toToolCall } from "../../run/task-call.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { callTool, planCall, type Toolbox } from "./call-tool.ts";

/**
 * Returns the task of a run in which the output of its commands replaces them and the content of its files follows. Each command
 * and each file is a tool call: a durable step with permission, hooks and budget. A refusal replaces the result.
 */
export async function completeTask(run: RunContext, toolbox: Toolbox): Promise<string> {
  const { task, taskCalls = [] } = run.spec;
  const parts: string[] = [];
  const files: string[] = [];
  let position = 0;
  for (const [index, call] of taskCalls.entries()) {
    run.signal.throwIfAborted();
    const text = await execute(run, toolbox, { call, key: taskCallKey(run.prefix, index) });
    if ("file" in call) {
      files.push(`\n\n<file path=${JSON.stringify(call.file)}>\n${text}\n</file>`);
      continue;
    }
    parts.push(task.slice(position, call.start), text);
    position = call.end;
  }
  return [...parts, task.slice(position), ...files].join("");
}

async function execute(
  run: RunContext,
  toolbox: Toolbox,
  { call, key }: { call: TaskCall; key: string },
): Promise<string> {
  const part = { type: "tool-call", id: key, ...toToolCall(call) } as const;
  const resources = { tools: toolbox.tools, workspace: run.spec.workspace };
  return (await callTool(run, toolbox, planCall(part, key, resources))).text;
}
