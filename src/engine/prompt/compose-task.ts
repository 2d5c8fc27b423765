import { isProgram } from "../../agent/definition/agent.ts";
import type { Registry } from "../../registry/registry.ts";
import { answerOf } from "../../run/answer.ts";
import type { Run, RunSpec } from "../../run/run.ts";
import { cutMiddle } from "../../tool/output/output-cap.ts";
import type { RunContext } from "../run-context/run-context.ts";

/** The maximum length of a result before a task, in characters. */
const maxResultLength = 8 * 1024;

/**
 * Prepares the task of a run: its agent's first words, requested results of its dependencies, failures of dependencies, and the
 * task itself, to which `complete` adds the output of commands and the content of files. The result is recorded if it differs
 * from the task, so that a resume and a continuation read the same text.
 */
export async function prepareTask(
  run: RunContext,
  complete: () => Promise<string> = async () => run.spec.task,
): Promise<string> {
  const { spec, steps, registry, prefix } = run;
  const first = firstWords(run);
  const hasCalls = spec.taskCalls !== undefined;
  if (first === undefined && !tellsOfDependencies(spec) && !hasCalls) return spec.task;
  const own = { ...spec, task: await complete() };
  const step = { key: `${prefix}task`, kind: "note" } as const;
  return await steps.do(step, async () => {
    const task = tellsOfDependencies(spec) ? await composeTask(registry, own) : own.task;
    return { value: first === undefined ? task : `${first}\n\n${task}` };
  });
}

/**
 * Returns the agent's first words, only for the first run of a conversation that is not delegated: the caller of a sub-agent
 * gives the whole task.
 */
function firstWords({ spec, definition }: RunContext): string | undefined {
  const isFirst = spec.parentId === null && spec.continues === undefined;
  return isFirst && !isProgram(definition) ? definition.initialPrompt : undefined;
}

function tellsOfDependencies({ dependsOn, includeDependencyResult, onDependencyError }: RunSpec) {
  return dependsOn.length > 0 && (includeDependencyResult === true || onDependencyError === "run");
}

/** Composes the task of a run with the results of its dependencies, which have ended. */
export async function composeTask(registry: Pick<Registry, "run">, spec: RunSpec): Promise<string> {
  const { task, dependsOn, includeDependencyResult = false } = spec;
  const parts: string[] = [];
  for (const id of dependsOn) {
    const dependency = await registry.run(id);
    if (!includeDependencyResult && dependency?.result?.failure === undefined) continue;
    const name =
      dependsOn.length === 1 ? "" : ` ${dependency?.label ?? `${dependency?.agent} (run ${id})`}`;
    parts.push(`[Previous step result]:${name}\n${quoteHeadings(describeResult(id, dependency))}`);
  }
  if (parts.length === 0) return task;
  return [...parts, `[Current task]:\n${task}`].join("\n\n");
}

function describeResult(id: string, run: Run | undefined): string {
  const result = run?.result ?? null;
  if (result === null) return `(The result of run ${id} no longer exists.)`;
  const { status, failure } = result;
  const shown = cutResult(id, answerOf(result), maxResultLength);
  if (failure === undefined) return shown;
  const head = `(It did not succeed: ${status}, ${failure.code}: ${failure.message})`;
  return shown === "" ? head : `${head}\nIts text so far:\n${shown}`;
}

/** Shortens the text of a run to `limit` characters: its beginning, its end, and how to read the whole. */
export function cutResult(runId: string, text: string, limit: number): string {
  if (text.length <= limit) return text;
  const rest = `The whole result: context_get ${JSON.stringify({ runId })}`;
  return cutMiddle({ head: text, tail: text, length: text.length, limit, rest });
}

/** Quotes headings in a result, so that data cannot pass for a section of the prompt. */
function quoteHeadings(text: string): string {
  return text.replaceAll(
    /^(\s*)(\[(?:previous step result|current task|shared context)\]:?)/gim,
    "$1> $2",
  );
}
