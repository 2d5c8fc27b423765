// Views of evals: their list, an eval, and two evals side by side.

import { type ReactNode, useState } from "react";
import { formatCost, formatCount, formatNumberOf } from "../../../src/cli/view/format-value.ts";
import { fileName } from "../../data/format.ts";
import { useEvals } from "../../data/eval-queries.ts";
import { addressOf } from "../../data/route.ts";
import type { EvalOverview } from "../../data/types.ts";
import { useNow } from "../../hook/use-now.ts";
import { useRowKeys } from "../../hook/use-row-keys.ts";
import { Moment } from "../../part/moment.tsx";
import { Empty, Loading, ProblemNotice } from "../../part/problem-notice.tsx";
import { EvalStatus } from "./outcome-mark.tsx";
import { StartEval } from "./start-eval.tsx";

/** The evals of the project, two of which can be compared, and a form that starts one. */
export function EvalsView(): ReactNode {
  const { data, error } = useEvals();
  return (
    <section className="view scrolling">
      <h2>Evals</h2>
      <StartEval />
      {error !== null && <ProblemNotice error={error} />}
      {data === undefined ? error === null && <Loading /> : <EvalTable evals={data} />}
    </section>
  );
}

function EvalTable({ evals }: { evals: readonly EvalOverview[] }): ReactNode {
  const now = useNow(1000);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const body = useRowKeys();
  if (evals.length === 0) {
    return (
      <Empty>
        <h3>There are no evals yet.</h3>
        <p>An eval measures whether an agent does what a file of cases expects. In a terminal:</p>
        <pre>cadre eval evals.yaml</pre>
      </Empty>
    );
  }
  // The older one is on the left.
  const [right, left] = evals.filter(({ id }) => chosen.includes(id));
  return (
    <>
      <p className="bar">
        {left === undefined || right === undefined ? (
          <span className="faint">Choose two to compare them.</span>
        ) : (
          <a className="button" href={addressOf("compare-evals", left.id, right.id)}>
            Compare the two
          </a>
        )}
      </p>
      <div className="wide card" tabIndex={0} role="region" aria-label="Evals">
        <table>
          <EvalTableHead />
          <tbody ref={body}>
            {evals.map((found) => (
              <EvalRow
                key={found.id}
                found={found}
                now={now}
                isChosen={chosen.includes(found.id)}
                // A third choice replaces the earlier one.
                onChoose={(isOn) =>
                  setChosen((ids) =>
                    isOn ? [...ids, found.id].slice(-2) : ids.filter((id) => id !== found.id),
                  )
                }
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function EvalTableHead(): ReactNode {
  return (
    <thead>
      <tr>
        <th>
          <span className="unseen">chosen</span>
        </th>
        <th>outcome</th>
        <th>files</th>
        <th>agents</th>
        <th>models</th>
        <th className="right">passed</th>
        <th className="right">tokens</th>
        <th className="right">cost</th>
        <th className="right">started</th>
      </tr>
    </thead>
  );
}

function EvalRow({
  found,
  now,
  isChosen,
  onChoose,
}: {
  found: EvalOverview;
  now: number;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
}): ReactNode {
  const { id, files, agents, models, trials, passed, failed, errors, tokens, cost } = found;
  const done = passed + failed + errors;
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={`Compare ${id}`}
          checked={isChosen}
          onChange={(event) => onChoose(event.target.checked)}
        />
      </td>
      <td>
        <EvalStatus found={found} />
      </td>
      <td>
        <a href={addressOf("evals", id)}>{files.map(fileName).join(", ")}</a>
      </td>
      <td>{agents.join(", ")}</td>
      <td>{models.join(", ") || "default"}</td>
      <td className="right">
        {passed} of{" "}
        {done < trials ? `${done}, ${formatNumberOf(trials - done, "trial")} to do` : trials}
      </td>
      <td className="right">{formatCount(tokens)}</td>
      <td className="right">{formatCost(cost)}</td>
      <td className="right">
        <Moment time={found.startedAt} now={now} />
      </td>
    </tr>
  );
}
