import type { ReactNode } from "react";
import { formatCost, formatCount, formatDuration } from "../../../src/cli/view/format-value.ts";
import { api } from "../../data/api.ts";
import { describeTrial } from "../../data/evals.ts";
import { fileName } from "../../data/format.ts";
import { useEval } from "../../data/eval-queries.ts";
import { addressOf } from "../../data/route.ts";
import type { CaseReport, EvalReport, RecordedEval, Trial } from "../../data/types.ts";
import { useNow } from "../../hook/use-now.ts";
import { Action } from "../../part/action.tsx";
import { Moment } from "../../part/moment.tsx";
import { Loading, ProblemNotice } from "../../part/problem-notice.tsx";
import { EvalStatus, OutcomeMark } from "./outcome-mark.tsx";

/** An eval: its progress, its cases with their trials, and the agents that are confused with each other. */
export function EvalView({ id }: { id: string }): ReactNode {
  const { data, error } = useEval(id);
  if (error !== null) return <ProblemNotice error={error} />;
  if (data === undefined) return <Loading />;
  const { report } = data;
  return (
    <section className="view scrolling eval">
      <Head found={data} />
      <MixUps report={report} />
      {report.cases.map((one) => (
        <Case
          key={`${one.name} ${one.model}`}
          report={one}
          trials={report.trials.filter(
            (trial) => trial.case === one.name && trial.model === one.model,
          )}
        />
      ))}
    </section>
  );
}

function Head({ found: { eval: found } }: { found: RecordedEval }): ReactNode {
  const now = useNow(1000);
  const { id, state, files, passed, failed, errors, trials, tokens, cost, startedAt } = found;
  return (
    <header className="card">
      <h2>
        {files.map(fileName).join(", ")} <EvalStatus found={found} />
      </h2>
      <p className="faint">
        {id} · {passed} passed, {failed} failed, {errors} with errors, of {trials} ·{" "}
        {formatCount(tokens)} tokens · {formatCost(cost)} · <Moment time={startedAt} now={now} />
      </p>
      <progress aria-label="Trials that are done" max={trials} value={passed + failed + errors} />
      <p className="bar">
        {state === "running" && (
          <Action title="Cancel" kind="danger" work={async () => await api.cancelEval(id)} />
        )}
        {state === "interrupted" && (
          <Action title="Resume" kind="primary" work={async () => await api.resumeEval(id)} />
        )}
      </p>
    </header>
  );
}

function MixUps({ report: { mixUps } }: { report: EvalReport }): ReactNode {
  if (mixUps.length === 0) return null;
  return (
    <section className="card" aria-label="Agents that are mixed up">
      <h3>Mixed up</h3>
      <ul>
        {mixUps.map(({ expected, chosen, times, of }) => (
          <li key={`${expected} ${chosen}`}>
            <strong>{chosen}</strong> instead of <strong>{expected}</strong>, {times} of {of} times
          </li>
        ))}
      </ul>
    </section>
  );
}

function Case({ report, trials }: { report: CaseReport; trials: readonly Trial[] }): ReactNode {
  const { name, model, outcome } = report;
  return (
    <section className="card" aria-label={name}>
      <h3>
        {name} <OutcomeMark outcome={outcome} />
      </h3>
      <p className="faint">
        {model ?? "the default model"} · {describeCase(report)}
      </p>
      <ul className="trials">
        {trials.map((trial) => (
          <TrialRow key={trial.number} trial={trial} />
        ))}
      </ul>
    </section>
  );
}

/** Describes the figures of a case as text. */
export function describeCase(report: CaseReport): string {
  const { passed, failed, errors, interval, cost, tokens, durationMs } = report;
  const percent = (part: number): string => `${Math.round(part * 100)}`;
  const range =
    interval === null ? "" : ` (${percent(interval[0])} to ${percent(interval[1])} %, at 95 %)`;
  const wrong = errors === 0 ? "" : `, ${errors} with errors`;
  return `passed ${passed} of ${passed + failed}${range}${wrong} · ${formatCount(tokens)} tokens · ${formatCost(cost)} · ${formatDuration(durationMs)} on average`;
}

/** A trial: its outcome with the reasons, its calls, and its run. */
export function TrialRow({ trial }: { trial: Trial }): ReactNode {
  const { number, outcome, reasons, record } = trial;
  return (
    <li className="trial">
      <OutcomeMark outcome={outcome} />
      <span className="what">
        {record === undefined ? (
          `trial ${number}`
        ) : (
          <a href={addressOf("runs", record.runId)}>trial {number}</a>
        )}{" "}
        <span className="faint">{describeTrial(trial)}</span>
        {reasons.map((reason) => (
          <small key={reason} className="failed">
            {reason}
          </small>
        ))}
      </span>
    </li>
  );
}
