import { type ReactNode, useMemo } from "react";
import { formatCount, formatDuration } from "../../../src/cli/view/format-value.ts";
import { endOf } from "../../data/family.ts";
import { useSteps } from "../../data/queries.ts";
import { findChildSteps } from "../../data/timeline.ts";
import type { ServedRun, StepSpan } from "../../data/types.ts";
import { Empty, Loading, ProblemNotice } from "../../part/problem-notice.tsx";
import { Rows } from "../../part/rows.tsx";

/** The steps of a run as a waterfall: requests, calls, questions, retries and pipeline events. */
export function StepWaterfall({
  run,
  runs,
  now,
}: {
  run: ServedRun;
  runs: readonly ServedRun[];
  now: number;
}): ReactNode {
  const { data, error } = useSteps(run.id);
  const childSteps = useMemo(() => findChildSteps(runs).get(run.id), [runs, run.id]);
  if (error !== null) return <ProblemNotice error={error} />;
  if (data === undefined) return <Loading />;
  if (data.steps.length === 0) return <Empty>The run has made no step yet.</Empty>;
  const steps = data.steps.toSorted((one, other) => one.from - other.from);
  const end = endOf(run, now);
  const from = Math.min(run.createdAt, steps[0]?.from ?? Infinity);
  const whole = Math.max(1, end - from);
  return (
    <div className="steps">
      <Rows
        items={steps}
        height={30}
        label="Steps"
        row={(step) => (
          <Step
            step={step}
            isChild={childSteps?.has(step.key) === true}
            {...{ from, whole, end }}
          />
        )}
      />
    </div>
  );
}

const names: Readonly<Record<StepSpan["kind"] | "children", string>> = {
  children: "Run",
  model: "Model",
  tool: "Tool",
  question: "Question",
  retry: "Retry",
  event: "Event",
};

function Step({
  step,
  isChild,
  from,
  whole,
  end,
}: {
  step: StepSpan;
  /** Whether the step started another run. */
  isChild: boolean;
  from: number;
  whole: number;
  end: number;
}): ReactNode {
  const took = (step.to ?? end) - step.from;
  const kind = isChild ? "children" : step.kind;
  const about =
    step.tokens === undefined
      ? step.title
      : `${formatCount(step.tokens.input)} tokens in, ${formatCount(step.tokens.output)} out`;
  return (
    <div className="step" title={step.key}>
      <span className={`kind kind-${kind}`}>{names[kind]}</span>
      <span className="name">{about}</span>
      <span className="bars">
        <i
          className={`bar-${kind}`}
          style={{
            left: `${(100 * (step.from - from)) / whole}%`,
            width: `max(2px, ${(100 * took) / whole}%)`,
          }}
        />
      </span>
      <span className="number">{formatDuration(took)}</span>
    </div>
  );
}
