import type { RunEvent } from "../run/event.ts";
import type { Usage } from "../run/usage.ts";
import type { Registry } from "../registry/registry.ts";
import type { JsonValue } from "../source/json.ts";
import type { Clock } from "../clock.ts";

/** One durable step. Its key is unique within the run, and the same when the run is executed again. */
export type Step =
  | { key: string; kind: "model" | "note" }
  | {
      key: string;
      kind: "tool";
      /** One line for trees. */
      title: string;
      /** Repeating it could do harm, so a resume reports it as interrupted instead. */
      hasEffect: boolean;
    };

/** What a step came to. `value` is JSON. */
export interface StepOutcome<Value> {
  value: Value;
  usage?: Usage;
  cost?: number | null;
}

/** What may take the place of a step's work. */
export interface StepDetours<Value> {
  /** What to record when an earlier attempt began the step, which has an effect, and left no value. */
  interrupted?: () => Value;
  /** Asked before the step begins: a value to record instead of working, or `undefined` to go on. */
  refuse?: () => Promise<Value | undefined>;
}

/** The memory of a run: what was done is not done again. */
export interface Steps {
  /** Whether an earlier attempt recorded a value for the step. */
  isRecorded(key: string): boolean;
  /** What the step took, where it asked a model and is recorded. */
  usageOf(key: string): Usage | undefined;
  /**
   * Returns the recorded value of the step if there is one; else does `work` and records its value. That is durable
   * before the next act: whatever asks a model, has an effect, starts a run, asks the user or ends the run waits for it
   * (`Registry.flushed`). Waiting at each record instead would cost a turn of the disk for nothing.
   */
  do<Value>(
    step: Step,
    work: () => Promise<StepOutcome<Value>>,
    detours?: StepDetours<Value>,
  ): Promise<Value>;
}

/** What {@link createSteps} needs. */
export interface StepsOptions {
  runId: string;
  registry: Registry;
  clock: Clock;
  /** The journal of earlier attempts. */
  history: readonly RunEvent[];
}

/** Steps recorded in the journal of one run. */
export function createSteps({ runId, registry, clock, history }: StepsOptions): Steps {
  /** A value may be `undefined`: a program's step that returns nothing. */
  const finished = new Map<string, JsonValue | undefined>();
  const usages = new Map<string, Usage>();
  const begun = new Set<string>();
  for (const event of history) {
    if (event.type === "step-finished") {
      finished.set(event.key, event.value);
      if (event.usage !== undefined) usages.set(event.key, event.usage);
    }
    if (event.type === "step-started" && event.hasEffect) begun.add(event.key);
  }

  function record<Value>(step: Step, outcome: StepOutcome<Value>, durationMs: number): Value {
    const { key, kind } = step;
    const { value, usage, cost } = outcome;
    const spent = usage === undefined ? {} : { usage, cost: cost ?? null };
    if (usage !== undefined) usages.set(key, usage);
    const recorded = value as JsonValue;
    registry.append(runId, {
      type: "step-finished",
      key,
      kind,
      value: recorded,
      durationMs,
      ...spent,
    });
    return value;
  }

  return {
    isRecorded: (key) => finished.has(key),
    usageOf: (key) => usages.get(key),
    async do<Value>(
      step: Step,
      work: () => Promise<StepOutcome<Value>>,
      { interrupted, refuse }: StepDetours<Value> = {},
    ): Promise<Value> {
      if (finished.has(step.key)) return finished.get(step.key) as Value;
      if (interrupted !== undefined && begun.has(step.key)) {
        return record(step, { value: interrupted() }, 0);
      }
      const refusal = await refuse?.();
      if (refusal !== undefined) return record(step, { value: refusal }, 0);
      if (step.kind === "tool") {
        const { key, title, hasEffect } = step;
        registry.append(runId, { type: "step-started", key, title, hasEffect });
        if (hasEffect) await registry.flushed();
      }
      const before = clock.monotonic();
      const outcome = await work();
      return record(step, outcome, Math.round(clock.monotonic() - before));
    },
  };
}
