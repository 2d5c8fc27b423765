import type { Registry } from "../registry/registry.ts";
import { answerOf } from "../run/answer.ts";
import type { Run, RunSpec } from "../run/run.ts";
import { cutMiddle } from "../tool/output-cap.ts";
import type { Session } from "./session.ts";

/** The most of a result that is put before a task, in characters. */
const longestResult = 8 * 1024;

/**
 * What a run is to do: its task, after the results of the runs it depends on where it asked for them, and what became of those
 * that failed. Recorded, so that a resume reads the same.
 */
export async function prepareTask(session: Session): Promise<string> {
  const { spec, steps, registry, prefix } = session;
  if (!tellsOfDependencies(spec)) return spec.task;
  const step = { key: `${prefix}task`, kind: "note" } as const;
  return await steps.do(step, async () => ({ value: await composeTask(registry, spec) }));
}

function tellsOfDependencies({ dependsOn, includeDependencyResult, onDependencyError }: RunSpec) {
  return dependsOn.length > 0 && (includeDependencyResult === true || onDependencyError === "run");
}

/** The task of a run together with what it is told of its dependencies, which have ended. */
export async function composeTask(registry: Pick<Registry, "run">, spec: RunSpec): Promise<string> {
  const { task, dependsOn, includeDependencyResult = false } = spec;
  const parts: string[] = [];
  for (const id of dependsOn) {
    const run = await registry.run(id);
    if (!includeDependencyResult && run?.result?.failure === undefined) continue;
    const name = dependsOn.length === 1 ? "" : ` ${run?.label ?? `${run?.agent} (run ${id})`}`;
    parts.push(`[Previous step result]:${name}\n${quoteHeadings(describeResult(id, run))}`);
  }
  if (parts.length === 0) return task;
  return [...parts, `[Current task]:\n${task}`].join("\n\n");
}

function describeResult(id: string, run: Run | undefined): string {
  const result = run?.result ?? null;
  if (result === null) return `(There is no result of run ${id} any more.)`;
  const { status, failure } = result;
  const shown = cutResult(id, answerOf(result), longestResult);
  if (failure === undefined) return shown;
  const head = `(It did not succeed: ${status}, ${failure.code}: ${failure.message})`;
  return shown === "" ? head : `${head}\nWhat it had said so far:\n${shown}`;
}

/** The beginning and the end of what a run said where it is longer than `limit` characters, and how to get the whole. */
export function cutResult(runId: string, text: string, limit: number): string {
  if (text.length <= limit) return text;
  const rest = `The whole result: context_get ${JSON.stringify({ runId })}`;
  return cutMiddle({ head: text, tail: text, length: text.length, limit, rest });
}

/** A result is data: what looks like a heading of ours in it must not be taken for one. */
function quoteHeadings(text: string): string {
  return text.replaceAll(
    /^(\s*)(\[(?:previous step result|current task|shared context)\]:?)/gim,
    "$1> $2",
  );
}
