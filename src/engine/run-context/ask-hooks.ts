import type { RunContext } from "./run-context.ts";
import { RunFailed } from "../run-failed.ts";
import { consultHooks, HookFailed, type HookPoint } from "../hook/consult-hooks.ts";
import type { Decisions } from "../hook/hooks.ts";
import { toHookedRun } from "../hook/to-hooked-run.ts";

/** A point of a run at which its hooks are asked. */
export interface HookedStep {
  point: HookPoint;
  /** The step that the point belongs to. Together with `point` it is the key of the recorded decision. */
  key: string;
  /** The event, without the run. */
  event: object;
  /** Whether an earlier execution passed this point. Only a recorded decision counts then. */
  isPast: boolean;
}

/** The points at which a failed hook refuses the call or question. At the other points the run fails. */
const refusing: ReadonlySet<HookPoint> = new Set<HookPoint>(["beforeTool", "beforeQuestion"]);

/** The points whose decisions become part of the step's value. */
const partOfStep: ReadonlySet<HookPoint> = new Set<HookPoint>(["afterTool", "beforeQuestion"]);

const nothing: Decisions = {};

/** Reports whether hooks make no decision at any point of the run, in this and earlier executions. */
export function isUnhooked({ hooks, steps }: Pick<RunContext, "hooks" | "steps">): boolean {
  return hooks.length === 0 && !steps.hasHistory;
}

/**
 * Asks the hooks of a run at one point and records their decision as a note in the journal, which a resume reads. Records nothing
 * if they decide nothing.
 *
 * @throws RunFailed when a hook stops the run, or fails.
 */
export async function askHooks(run: RunContext, step: HookedStep): Promise<Decisions> {
  if (isUnhooked(run)) return nothing;
  const { hooks, steps } = run;
  const { point, key, event, isPast } = step;
  const note = { key: `${key}/hook/${point}`, kind: "note" } as const;
  // A decision stays, even if its hook no longer exists.
  if (steps.isRecorded(note.key)) {
    return warn(run, await steps.do(note, async () => ({ value: nothing })));
  }
  if (isPast || !hooks.some((hook) => hook[point] !== undefined)) return nothing;
  const decided = warn(run, await consult(run, point, { ...toHookedRun(run), ...event }));
  if (decided.stop !== undefined) {
    const message = `The run was stopped by ${decided.stop}`;
    throw new RunFailed({ code: "permission-denied", message });
  }
  if (Object.keys(decided).length === 0 || partOfStep.has(point)) return decided;
  return await steps.do(note, async () => ({ value: decided }));
}

function warn(run: RunContext, decided: Decisions): Decisions {
  if (decided.warning !== undefined) run.warnings.add(decided.warning);
  return decided;
}

async function consult(run: RunContext, point: HookPoint, event: object): Promise<Decisions> {
  try {
    const asked = consultHooks(run.hooks, { point, event, signal: run.signal });
    return await run.watchdog.ignoreSilenceWhile(asked);
  } catch (error) {
    if (!(error instanceof HookFailed)) throw error;
    if (refusing.has(point)) return { deny: error.message, warning: error.message };
    throw new RunFailed({ code: "internal", message: `The run failed: ${error.message}.` });
  }
}
