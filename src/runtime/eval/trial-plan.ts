import { createHash } from "node:crypto";
import type { LoadedCase } from "../../eval/eval-file.ts";

/** A trial that an eval executes. */
export interface PlannedTrial {
  one: LoadedCase;
  /** `null` = the default model. */
  model: string | null;
  /** 1 for the first. */
  number: number;
  /** Identical for the same case, model and number in every eval. Names the workspace and the recording. */
  key: string;
}

/** Returns the trials of all cases with all models. `models` and `repeat` override the cases. */
export function planTrials(
  cases: readonly LoadedCase[],
  { models, repeat }: { models?: readonly string[]; repeat?: number },
): PlannedTrial[] {
  return cases.flatMap((one) =>
    (models ?? one.models ?? [null]).flatMap((model) =>
      Array.from({ length: repeat ?? one.repeat }, (_, index) => {
        const number = index + 1;
        const identity = JSON.stringify([one.name, model, number]);
        const key = createHash("sha256").update(identity).digest("hex").slice(0, 12);
        return { one, model, number, key };
      }),
    ),
  );
}

/** Returns the step of the judge of the check at this position of its case. */
export function judgeStep(index: number): string {
  return `judge ${index + 1}`;
}

/**
 * Returns the label of a trial's run: the case, the model and the number for people, then what {@link readTrialIdentity} reads.
 * `step` is `trial` or a judge.
 */
export function labelOf(id: string, plan: PlannedTrial, step: string): string {
  // A changed case is another trial.
  const { task, agent, delegation, results, files, workspace, timeoutSeconds } = plan.one;
  const what = JSON.stringify([task, agent, delegation, results, files, workspace, timeoutSeconds]);
  const version = createHash("sha256").update(what).digest("hex").slice(0, 6);
  return `${titleOf(plan)} [eval ${id} ${plan.key}.${version} ${step}]`;
}

/** The part of a label that the list of runs has room for in 80 columns. */
const titleLength = 26;

const modelLength = 10;

function titleOf({ one, model, number }: PlannedTrial): string {
  const name = model
    ?.slice(model.indexOf(":") + 1)
    .split("/")
    .at(-1);
  const end = [...(name === undefined ? [] : [cut(name, modelLength)]), `#${number}`].join(" ");
  return `${cut(one.name, titleLength - end.length - 1)} ${end}`;
}

function cut(text: string, length: number): string {
  return text.length <= length
    ? text
    : `${text
        .slice(0, length - 1)
        .toWellFormed()
        .trim()}…`;
}

/**
 * Returns what identifies the run of a trial in a continued eval, from the run's label: `eval ID KEY.VERSION STEP`. `undefined`
 * for the label of any other run. Earlier versions began the label with it.
 */
export function readTrialIdentity(label: string | null): string | undefined {
  const text = label ?? "";
  // A case may have a name that looks like an early label, so its end decides.
  const found = /\[(eval \S+ \S+ [^[\]]+)\]$/.exec(text) ?? /^(eval \S+ \S+ [^:]+): /.exec(text);
  return found?.[1];
}
