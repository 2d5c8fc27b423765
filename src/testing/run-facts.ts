import type { RunResult } from "../run/result.ts";
import type { RunHandle } from "../runtime/run-handle.ts";
import { isRecord, type JsonValue } from "../source/json.ts";
import { isRun, requireHandle } from "./require-handle.ts";

/** A tool call of a run. */
export interface ToolCall {
  tool: string;
  input: JsonValue;
}

/** A child of a run. */
export interface DelegatedTask {
  agent: string;
  task: string;
}

/** Waits for the end of a run and returns its calls in order. */
export async function readCalls(run: unknown, matcher: string): Promise<ToolCall[]> {
  requireHandle(run, matcher);
  await run.result();
  const calls: ToolCall[] = [];
  for await (const part of run.stream()) {
    if (part.runId === run.id && part.type === "tool-call") {
      calls.push({ tool: part.tool, input: part.input });
    }
  }
  return calls;
}

/** Waits for the end of a run and returns its children in order of creation. */
export async function readDelegations(run: unknown, matcher: string): Promise<DelegatedTask[]> {
  requireHandle(run, matcher);
  await run.result();
  const states = await Promise.all((await run.descendants()).map((one) => one.state()));
  return states
    .filter(({ parentId }) => parentId === run.id)
    .map(({ agent, task }) => ({ agent, task }));
}

/** Waits for the result of a run, or returns a given result. */
export async function readEnd(given: unknown, matcher: string): Promise<RunResult> {
  if (isResult(given)) return given;
  requireHandle(given, matcher);
  return await (given satisfies RunHandle).result();
}

function isResult(value: unknown): value is RunResult {
  return (
    !isRun(value) &&
    isRecord(value) &&
    ["runId", "status", "usage", "own"].every((key) => key in value)
  );
}
