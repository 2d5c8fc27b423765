import type { RunEvent } from "../../run/event.ts";
import type { CallPermission } from "../../run/permission.ts";
import type { Usage } from "../../run/usage.ts";
import type { Registry } from "../../registry/registry.ts";
import type { JsonValue } from "../../source/json.ts";
import type { Clock } from "../../clock.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { recordFiles } from "./record-files.ts";
import type { Step } from "./step.ts";
import type { Tracing } from "./tracing.ts";
import type { Watchdog } from "./watchdog.ts";

/** The outcome of a step. `value` is JSON. */
export interface StepOutcome<Value> {
  value: Value;
  usage?: Usage;
  cost?: number | null;
  /** A warning for the run's result, which a resume restores. */
  warning?: string | undefined;
}

/** Alternatives to a step's work. */
export interface StepDetours<Value> {
  /** Returns the value to record when an earlier execution started the step, which has an effect, and left no value. */
  interrupted?: () => Value;
  /** Called before the step starts. Returns a value to record instead of doing the work, or `undefined`. */
  refuse?: () => Promise<Value | undefined>;
}

/** The durable steps of a run. Recorded work is not repeated. */
export interface Steps {
  /** Reports whether an earlier execution recorded a value for the step. */
  isRecorded(key: string): boolean;
  /** Returns the value that an earlier execution recorded for the step; `undefined` without one. */
  recordedValue(key: string): JsonValue | undefined;
  /** Whether earlier executions of the run wrote events. */
  readonly hasHistory: boolean;
  /** Returns the tokens of a recorded model step. */
  usageOf(key: string): Usage | undefined;
  /**
   * Returns the recorded value of the step, or does `work` and records its value. The value is durable before the next act: model
   * requests, effects, starts of runs, questions to the user and the run's end wait for `Registry.flushed`. Waiting at each
   * record instead would cost a disk write per record.
   */
  do<Value>(
    step: Step,
    work: () => Promise<StepOutcome<Value>>,
    detours?: StepDetours<Value>,
  ): Promise<Value>;
}

/** Options of {@link createSteps}. */
export interface StepsOptions {
  runId: string;
  registry: Registry;
  clock: Clock;
  watchdog: Watchdog;
  /** The journal of earlier attempts. */
  history: readonly RunEvent[];
  tracing?: Tracing | undefined;
}

/** The outcome of a step as recorded, with the files after it if the registry records files. */
type RecordedOutcome<Value> = StepOutcome<Value> & {
  files?: string;
  /** Set for a refused call. */
  permission?: CallPermission | undefined;
  isUnstarted?: true;
};

/** Creates the steps of one run, recorded in its journal. */
export function createSteps(options: StepsOptions): Steps {
  return new JournaledSteps(options);
}

/** A class instead of closures: its instances share methods, and thousands of runs may wait. */
class JournaledSteps implements Steps {
  readonly #options: StepsOptions;
  readonly #finished: History["finished"];
  readonly #begun: History["begun"];
  #usages: History["usages"];

  constructor(options: StepsOptions) {
    const { finished, begun, usages } = readHistory(options.history);
    this.#options = options;
    this.#finished = finished;
    this.#begun = begun;
    this.#usages = usages;
  }

  get hasHistory(): boolean {
    return this.#options.history.length > 0;
  }

  isRecorded(key: string): boolean {
    return this.#finished.has(key);
  }

  recordedValue(key: string): JsonValue | undefined {
    return this.#finished.get(key);
  }

  usageOf(key: string): Usage | undefined {
    return this.#usages?.get(key);
  }

  do<Value>(
    step: Step,
    work: () => Promise<StepOutcome<Value>>,
    { interrupted, refuse }: StepDetours<Value> = {},
  ): Promise<Value> {
    const { key } = step;
    if (this.#finished.has(key)) return Promise.resolve(this.#finished.get(key) as Value);
    if (interrupted !== undefined && this.#begun.has(key)) {
      return this.#within(step, async () =>
        this.#record(step, { value: interrupted(), isUnstarted: true }, 0),
      );
    }
    if (refuse === undefined) return this.#within(step, () => this.#perform(step, work));
    return refuse().then((refusal) =>
      refusal === undefined
        ? this.#within(step, () => this.#perform(step, work))
        : this.#within(step, async () =>
            this.#record(step, { value: refusal, isUnstarted: true, ...refusalOf(step) }, 0),
          ),
    );
  }

  /** Does a step's work at its place in the trace. */
  #within<Value>(step: Step, work: () => Promise<Value>): Promise<Value> {
    const { tracing, runId } = this.#options;
    return tracing === undefined ? work() : tracing.step(runId, step, work);
  }

  #perform<Value>(step: Step, work: () => Promise<StepOutcome<Value>>): Promise<Value> {
    if (step.kind !== "tool") return this.#measure(step, work);
    const { runId, registry } = this.#options;
    const { key, title, hasEffect, permission } = step;
    const started = { type: "step-started", key, title, hasEffect } as const;
    registry.append(runId, { ...started, ...omitUndefined({ permission }) });
    return hasEffect
      ? registry.flushed().then(() => this.#measure(step, work))
      : this.#measure(step, work);
  }

  /**
   * Does the work of a step and records its outcome. Uses no `await`: the work may last long in thousands of runs at once, and a
   * frame of an `async` function takes several times the memory of a callback.
   */
  #measure<Value>(step: Step, work: () => Promise<StepOutcome<Value>>): Promise<Value> {
    const { clock, runId } = this.#options;
    const before = clock.monotonic();
    return work().then((outcome) => {
      const durationMs = Math.round(clock.monotonic() - before);
      if (!mayWrite(step)) return this.#record(step, outcome, durationMs);
      const recording = recordFiles(this.#options, { runId, step: step.key });
      return recording.then((files) => this.#record(step, { ...outcome, ...files }, durationMs));
    });
  }

  #record<Value>(step: Step, outcome: RecordedOutcome<Value>, durationMs: number): Value {
    const { key, kind } = step;
    const { value, usage, cost, files, permission, warning, isUnstarted } = outcome;
    const spent = usage === undefined ? {} : { usage, cost: cost ?? null };
    if (usage !== undefined) (this.#usages ??= new Map()).set(key, usage);
    const recorded = value as JsonValue;
    this.#options.registry.append(this.#options.runId, {
      type: "step-finished",
      key,
      kind,
      value: recorded,
      durationMs,
      ...spent,
      ...omitUndefined({ files, permission, warning, isUnstarted }),
    });
    return value;
  }
}

function refusalOf(step: Step): Pick<RecordedOutcome<unknown>, "permission" | "warning"> {
  return step.kind === "tool" ? { permission: step.permission, warning: step.warning } : {};
}

function mayWrite(step: Step): boolean {
  return step.kind === "tool" ? step.hasEffect : step.mayWrite === true;
}

/** The records of earlier executions of a run, by step key. */
interface History {
  /** A value may be `undefined`, because a program's step may return nothing. */
  finished: ReadonlyMap<string, JsonValue | undefined>;
  usages: Map<string, Usage> | undefined;
  /** The started steps with an effect. */
  begun: ReadonlySet<string>;
}

/** The history of a run that is executed for the first time. */
const noHistory: History = { finished: new Map(), usages: undefined, begun: new Set() };

function readHistory(events: readonly RunEvent[]): History {
  if (events.length === 0) return noHistory;
  const finished = new Map<string, JsonValue | undefined>();
  const usages = new Map<string, Usage>();
  const begun = new Set<string>();
  for (const event of events) {
    if (event.type === "step-finished") {
      finished.set(event.key, event.value);
      if (event.usage !== undefined) usages.set(event.key, event.usage);
    }
    if (event.type === "step-started" && event.hasEffect) begun.add(event.key);
  }
  return { finished, usages, begun };
}
