import type { RunResult } from "../../run/result.ts";
import type { RunSpec } from "../../run/run.ts";
import { messageOf } from "../run-failed.ts";
import { defaultTimeoutMs, within } from "./consult-hooks.ts";
import { toHookedRun } from "./to-hooked-run.ts";
import type { Hooks } from "./hooks.ts";

/** Calls `afterRun` of each hook, in order. An error becomes a warning of the process. */
export async function reportEnd(
  hooks: readonly Hooks[] = [],
  spec: RunSpec,
  result: RunResult,
): Promise<void> {
  const { signal } = new AbortController();
  for (const hook of hooks) {
    if (hook.afterRun === undefined) continue;
    try {
      const work = Promise.resolve(hook.afterRun(toHookedRun({ spec }), structuredClone(result)));
      await within(work, hook.timeoutMs ?? defaultTimeoutMs, signal);
    } catch (error) {
      const { name = "a hook" } = hook;
      process.emitWarning(`afterRun of ${name} failed for run ${spec.id}: ${messageOf(error)}.`);
    }
  }
}
