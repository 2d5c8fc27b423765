// The view of a family: its tree, graph and timeline.

import { type ReactNode, useMemo, useState } from "react";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatNumberOf,
} from "../../../src/cli/view/format-value.ts";
import { type FamilyRow, layOutFamily, spanOf } from "../../data/family.ts";
import { useFamily } from "../../data/queries.ts";
import { goTo } from "../../data/route.ts";
import type { ServedRun } from "../../data/types.ts";
import { useKeys } from "../../hook/use-keys.ts";
import { useNow } from "../../hook/use-now.ts";
import { Choices } from "../../part/choices.tsx";
import { Empty, Loading, ProblemNotice } from "../../part/problem-notice.tsx";
import { RunPanel } from "../run/run-panel.tsx";
import { FamilyGraph } from "./family-graph.tsx";
import { Timeline } from "./timeline.tsx";

const shapes = ["Timeline", "Graph"] as const;

/** The family of a run as a timeline or a graph, with the run beside it. */
export function FamilyView({ id, at }: { id: string; at: number | null }): ReactNode {
  const now = useNow(1000);
  const { data: runs, error } = useFamily(id);
  if (error !== null) return <ProblemNotice error={error} />;
  if (runs === undefined) return <Loading />;
  const run = runs.find((one) => one.id === id || one.id.endsWith(`-${id}`)) ?? runs[0];
  if (run === undefined) return <Empty>There is no run {id}.</Empty>;
  return (
    <section className="view family">
      <FamilyPanel runs={runs} selected={run} now={lastMoment(runs, now)} />
      <RunPanel key={`${run.id} ${at}`} at={at} run={run} runs={runs} now={now} />
    </section>
  );
}

/** The current time for an active family. An ended family does not change with time, so it is not drawn again. */
function lastMoment(runs: readonly ServedRun[], now: number): number {
  return runs.some((run) => isActive(run)) ? now : (runs[0]?.lastEventAt ?? now);
}

function FamilyPanel({
  runs,
  selected,
  now,
}: {
  runs: readonly ServedRun[];
  selected: ServedRun;
  now: number;
}): ReactNode {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [shape, setShape] = useState<(typeof shapes)[number]>("Timeline");
  const rows = useMemo(() => layOutFamily(runs, folded), [runs, folded]);
  const fold = (id: string, isFolded = !folded.has(id)): void => {
    const next = new Set(folded);
    if (isFolded) next.add(id);
    else next.delete(id);
    setFolded(next);
  };
  useFamilyKeys({ runs, rows, selected, folded, fold });
  useKeys((key) => {
    if (key === "v") setShape(shape === "Timeline" ? "Graph" : "Timeline");
    return key === "v";
  });
  return (
    <div className="family-panel">
      <div className="family-head">
        <Summary runs={runs} now={now} />
        <Choices label="Shape" choices={shapes} chosen={shape} onChoose={setShape} />
      </div>
      {shape === "Timeline" ? (
        <Timeline
          runs={runs}
          rows={rows}
          selected={selected.id}
          now={now}
          folded={folded}
          onFold={fold}
        />
      ) : (
        <FamilyGraph runs={runs} selected={selected} now={now} />
      )}
    </div>
  );
}

/** Selects runs with keys, and folds and unfolds the runs below them. */
function useFamilyKeys({
  runs,
  rows,
  selected,
  folded,
  fold,
}: {
  runs: readonly ServedRun[];
  rows: readonly FamilyRow[];
  selected: ServedRun;
  folded: ReadonlySet<string>;
  fold: (id: string, isFolded?: boolean) => void;
}): void {
  const select = (by: number): boolean => {
    const at = rows.findIndex(({ run }) => run.id === selected.id);
    const next = rows[at + by];
    if (next !== undefined) goTo("runs", next.run.id);
    return true;
  };
  const hasChildren = runs.some(({ parentId }) => parentId === selected.id);
  useKeys((key) => {
    switch (key) {
      case "ArrowDown":
      case "j":
        return select(1);
      case "ArrowUp":
      case "k":
        return select(-1);
      case "ArrowLeft":
        if (hasChildren && !folded.has(selected.id)) fold(selected.id, true);
        else if (selected.parentId !== null) goTo("runs", selected.parentId);
        return true;
      case "ArrowRight":
        fold(selected.id, false);
        return true;
      default:
        return false;
    }
  });
}

/** The figures of the family, and the number of its runs in each state. */
function Summary({ runs, now }: { runs: readonly ServedRun[]; now: number }): ReactNode {
  const root = runs[0];
  const span = spanOf(runs, now);
  const groups = [
    { name: "active", kind: "running", count: runs.filter((run) => isActive(run)).length },
    { name: "interrupted", kind: "left", count: runs.filter(({ isLeft }) => isLeft).length },
    { name: "failed", kind: "failed", count: runs.filter((run) => hasFailed(run)).length },
  ].filter(({ count }) => count > 0);
  return (
    <p className="summary">
      <strong>
        {formatNumberOf(runs.length, "run")} in {formatDuration(span.to - span.from)}
      </strong>
      {groups.map(({ name, kind, count }) => (
        <span key={name} className={`status ${kind}`}>
          {count} {name}
        </span>
      ))}
      {root !== undefined && (
        <span className="faint">
          {formatCount(root.usage.inputTokens + root.usage.outputTokens)} tokens ·{" "}
          {formatCost(root.cost)}
        </span>
      )}
    </p>
  );
}

function isActive({ result, isLeft }: ServedRun): boolean {
  return result === null && !isLeft;
}

function hasFailed({ status }: ServedRun): boolean {
  return status === "failed" || status === "timed-out";
}
