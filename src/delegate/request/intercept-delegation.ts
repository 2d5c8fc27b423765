import { consultHooks, HookFailed } from "../../engine/hook/consult-hooks.ts";
import { toHookedRun } from "../../engine/hook/to-hooked-run.ts";
import type { Decisions, HookedDelegation, Hooks } from "../../engine/hook/hooks.ts";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Assignment, Origin } from "../assignment.ts";

/**
 * Asks the hooks before a run is created. They may change its task. Their decision needs no separate record, because the run has
 * the task and a resume finds the run.
 *
 * @throws CadreError `delegation-denied` when a hook refuses or fails.
 */
export async function interceptDelegation(
  hooks: readonly Hooks[] = [],
  assignment: Assignment,
  origin: Origin | undefined,
): Promise<Assignment> {
  if (!hooks.some((hook) => hook.beforeDelegation !== undefined)) return assignment;
  const { definition, task } = assignment;
  const parent = origin === undefined ? null : toHookedRun(origin);
  const event: HookedDelegation = { agent: definition.name, task, parent };
  const decided = await consult(hooks, event);
  if (decided.deny !== undefined) {
    const message = `The delegation to ${definition.name} was refused by ${decided.deny}`;
    throw new CadreError("delegation-denied", message, { details: { agent: definition.name } });
  }
  const { task: changed = task, warning } = decided;
  const { taskCalls, ...rest } = assignment;
  // The places refer to the original task.
  const isKept = changed === task;
  const lost = isKept || taskCalls === undefined ? undefined : lostCalls;
  const added = [warning, lost].filter((one) => one !== undefined);
  const warnings = [...(assignment.warnings ?? []), ...added];
  return {
    ...rest,
    ...(isKept && omitUndefined({ taskCalls })),
    task: changed,
    ...(warnings.length > 0 && { warnings }),
  };
}

const lostCalls = "A hook replaced the task, so the commands and files of the task were left out.";

async function consult(hooks: readonly Hooks[], event: HookedDelegation): Promise<Decisions> {
  const { signal } = new AbortController();
  try {
    return await consultHooks(hooks, { point: "beforeDelegation", event, signal });
  } catch (error) {
    if (error instanceof HookFailed) return { deny: error.message };
    throw error;
  }
}
