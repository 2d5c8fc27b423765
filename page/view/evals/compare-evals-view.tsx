import { type ReactNode, useState } from "react";
import { formatCost, formatCount } from "../../../src/cli/view/format-value.ts";
import { type CasePair, pairCases } from "../../data/evals.ts";
import { fileName } from "../../data/format.ts";
import { useEval } from "../../data/eval-queries.ts";
import { addressOf } from "../../data/route.ts";
import type { CaseReport, RecordedEval, Trial } from "../../data/types.ts";
import { useNow } from "../../hook/use-now.ts";
import { Moment } from "../../part/moment.tsx";
import { Loading, ProblemNotice } from "../../part/problem-notice.tsx";
import { ComparedRuns } from "../compare/compared-runs.tsx";
import { describeCase, TrialRow } from "./eval-view.tsx";
import { EvalStatus, OutcomeMark } from "./outcome-mark.tsx";

/** Two evals side by side: their cases, the changes of each case, its trials, and the steps of their runs. */
export function CompareEvalsView({ ids }: { ids: readonly [string, string] }): ReactNode {
  const [left, right] = [useEval(ids[0]), useEval(ids[1])];
  const error = left.error ?? right.error;
  if (error !== null) return <ProblemNotice error={error} />;
  if (left.data === undefined || right.data === undefined) return <Loading />;
  const pairs = pairCases(left.data, right.data);
  return (
    <section className="view scrolling compare">
      <h2>Compare</h2>
      <div className="columns heads">
        <Head found={left.data} />
        <Head found={right.data} />
      </div>
      <p className="faint">{describeChange(pairs)}</p>
      {pairs.map((pair) => (
        <Pair key={`${pair.name} ${pair.sides[0]?.model} ${pair.sides[1]?.model}`} pair={pair} />
      ))}
    </section>
  );
}

function Head({ found: { eval: found } }: { found: RecordedEval }): ReactNode {
  const now = useNow(1000);
  const { id, files, models, passed, trials, tokens, cost, startedAt } = found;
  return (
    <header className="card">
      <h3>
        <a href={addressOf("evals", id)}>{files.map(fileName).join(", ")}</a>{" "}
        <EvalStatus found={found} />
      </h3>
      <p className="faint">
        {id} · {models.join(", ") || "the default model"} · passed {passed} of {trials} ·{" "}
        {formatCount(tokens)} tokens · {formatCost(cost)} · <Moment time={startedAt} now={now} />
      </p>
    </header>
  );
}

function describeChange(pairs: readonly CasePair[]): string {
  const named = (isWanted: (sides: CasePair["sides"]) => boolean): string =>
    pairs
      .filter(({ sides }) => isWanted(sides))
      .map(({ name }) => name)
      .join(", ");
  const better = named(([one, other]) => rateOf(other) > rateOf(one));
  const worse = named(([one, other]) => rateOf(other) < rateOf(one));
  if (better === "" && worse === "") return "Every case in both passes equally often.";
  const parts = [
    ...(better === "" ? [] : [`Passes more often on the right: ${better}.`]),
    ...(worse === "" ? [] : [`Passes less often on the right: ${worse}.`]),
  ];
  return parts.join(" ");
}

/** Returns the fraction of passed trials; `NaN`, which compares as neither better nor worse, without trials. */
function rateOf(report: CaseReport | undefined): number {
  return report === undefined ? NaN : report.passed / (report.passed + report.failed);
}

function Pair({ pair: { name, sides, trials, changes } }: { pair: CasePair }): ReactNode {
  return (
    <section className="card" aria-label={name}>
      <h3>{name}</h3>
      {changes.map(({ name: field, values: [left, right] }) => (
        <div className="columns changed" key={field}>
          <p>
            <span className="faint">{field}</span> <del>{left}</del>
          </p>
          <p>
            <span className="faint">{field}</span> <ins>{right}</ins>
          </p>
        </div>
      ))}
      <div className="columns">
        {sides.map((side, index) => (
          <p key={index}>
            {side === undefined ? (
              <span className="faint">This eval has no such case.</span>
            ) : (
              <>
                <OutcomeMark outcome={side.outcome} />{" "}
                <span className="faint">{describeCase(side)}</span>
              </>
            )}
          </p>
        ))}
      </div>
      {trials.map(([left, right]) => (
        <TrialPair key={left?.number ?? right?.number} left={left} right={right} />
      ))}
    </section>
  );
}

/** Two trials. Their steps are read when the user opens them. */
function TrialPair({
  left,
  right,
}: {
  left: Trial | undefined;
  right: Trial | undefined;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const ids = [left?.record?.runId, right?.record?.runId] as const;
  return (
    <div className="trial-pair">
      <div className="columns">
        {[left, right].map((trial, index) => (
          <ul className="trials" key={index}>
            {trial === undefined ? (
              <li className="faint">No such trial.</li>
            ) : (
              <TrialRow trial={trial} />
            )}
          </ul>
        ))}
      </div>
      {ids[0] !== undefined && ids[1] !== undefined && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Steps of trial {left?.number}</summary>
          {isOpen && <ComparedRuns ids={[ids[0], ids[1]]} />}
        </details>
      )}
    </div>
  );
}
