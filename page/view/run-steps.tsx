import type { ReactNode } from "react";
import { formatDuration } from "../../src/cli/view/format-value.ts";
import { endOf } from "../data/family.ts";
import { useJournal } from "../data/queries.ts";
import { readSteps } from "../data/steps.ts";
import type { ServedRun } from "../data/types.ts";
import { Empty, Problem } from "../part/problem.tsx";

/** The steps of a run as a waterfall: requests, calls, questions, retries. */
export function RunSteps({ run, now }: { run: ServedRun; now: number }): ReactNode {
  const { data, error } = useJournal(run.id);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Empty>Reading …</Empty>;
  const steps = readSteps(data);
  if (steps.length === 0) return <Empty>The run has made no step yet.</Empty>;
  const end = endOf(run, now);
  const from = Math.min(run.createdAt, ...steps.map((step) => step.from));
  const whole = Math.max(1, end - from);
  return (
    <ol className="steps">
      {steps.map((step) => {
        const took = (step.to ?? end) - step.from;
        return (
          <li key={`${step.kind} ${step.key} ${step.from}`}>
            <span className="name">
              <span className="who">{step.kind}</span> {step.title}
            </span>
            <span className="bars">
              <i
                className={`bar-${step.kind}`}
                style={{
                  left: `${(100 * (step.from - from)) / whole}%`,
                  width: `max(2px, ${(100 * took) / whole}%)`,
                }}
              />
            </span>
            <span className="number">{formatDuration(took)}</span>
          </li>
        );
      })}
    </ol>
  );
}
