import { type KeyboardEvent, type ReactNode, useMemo, useState } from "react";
import { formatDuration, formatNumberOf } from "../../src/cli/view/format-value.ts";
import {
  endOf,
  type FamilyRow,
  findCriticalPath,
  layOutFamily,
  type Span,
  spanOf,
} from "../data/family.ts";
import { useFamily } from "../data/queries.ts";
import { addressOf, goTo } from "../data/route.ts";
import { useNow } from "../data/use-now.ts";
import { Empty, Problem } from "../part/problem.tsx";
import { Rows } from "../part/rows.tsx";
import { Status } from "../part/status.tsx";
import { RunPanel } from "./run-panel.tsx";

/** The family of a run as a tree with a timeline, and the run beside it. */
export function FamilyView({ id }: { id: string }): ReactNode {
  const now = useNow(1000);
  const { data: runs, error } = useFamily(id);
  if (error !== null) return <Problem error={error} />;
  if (runs === undefined) return <Empty>Reading …</Empty>;
  const run = runs.find((one) => one.id === id || one.id.endsWith(`-${id}`)) ?? runs[0];
  if (run === undefined) return <Empty>There is no run {id}.</Empty>;
  return (
    <section className="view family">
      <Tree runs={runs} selected={run.id} now={now} />
      <RunPanel key={run.id} run={run} runs={runs} now={now} />
    </section>
  );
}

function Tree({
  runs,
  selected,
  now,
}: {
  runs: NonNullable<ReturnType<typeof useFamily>["data"]>;
  selected: string;
  now: number;
}): ReactNode {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => layOutFamily(runs, folded), [runs, folded]);
  const path = useMemo(() => findCriticalPath(runs, now), [runs, now]);
  const span = spanOf(runs, now);
  const toggle = (id: string): void => {
    const next = new Set(folded);
    if (!next.delete(id)) next.add(id);
    setFolded(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const at = rows.findIndex(({ run }) => run.id === selected);
    const next = rows[at + step];
    if (next === undefined) return;
    event.preventDefault();
    goTo("runs", next.run.id);
  };
  return (
    <div className="tree" onKeyDown={onKeyDown}>
      <p className="faint">
        {formatNumberOf(runs.length, "run")} in {formatDuration(span.to - span.from)}
        <span className="legend">
          <i className="bar-queued" /> queued <i className="bar-running" /> at work{" "}
          <i className="bar-critical" /> last to end
        </span>
      </p>
      <Rows
        count={rows.length}
        height={30}
        label="Family"
        row={(index) => {
          const row = rows[index];
          return row === undefined ? null : (
            <TreeRow
              row={row}
              span={span}
              now={now}
              isSelected={row.run.id === selected}
              isCritical={path.has(row.run.id)}
              isFolded={folded.has(row.run.id)}
              onFold={toggle}
            />
          );
        }}
      />
    </div>
  );
}

interface TreeRowProps {
  row: FamilyRow;
  span: Span;
  now: number;
  isSelected: boolean;
  isCritical: boolean;
  isFolded: boolean;
  onFold: (id: string) => void;
}

function TreeRow(props: TreeRowProps): ReactNode {
  const { row, span, now, isSelected, isCritical, isFolded, onFold } = props;
  const { run, depth, childCount } = row;
  const name = run.label ?? run.agent;
  return (
    <div className={`tree-row ${isSelected ? "selected" : ""}`}>
      <span className="name" style={{ paddingLeft: Math.min(depth, 12) * 14 }}>
        {childCount > 0 ? (
          <button
            type="button"
            className="fold"
            aria-expanded={!isFolded}
            aria-label={`The ${formatNumberOf(childCount, "run")} of ${name}`}
            onClick={() => onFold(run.id)}
          >
            {isFolded ? "▸" : "▾"}
          </button>
        ) : (
          <span className="fold" />
        )}
        <Status run={run} isShort />
        <a href={addressOf("runs", run.id)} aria-current={isSelected ? "true" : undefined}>
          {name} <span className="faint">{run.title ?? run.task}</span>
        </a>
      </span>
      <Bar run={run} span={span} now={now} isCritical={isCritical} />
    </div>
  );
}

/** The times of a run: its wait, and its work. */
function Bar({
  run,
  span,
  now,
  isCritical,
}: Pick<TreeRowProps, "span" | "now" | "isCritical"> & Pick<FamilyRow, "run">): ReactNode {
  const whole = span.to - span.from;
  const end = endOf(run, now);
  const begin = run.startedAt ?? end;
  const part = (from: number, to: number): { left: string; width: string } => ({
    left: `${(100 * (from - span.from)) / whole}%`,
    width: `max(2px, ${(100 * (to - from)) / whole}%)`,
  });
  const title = `queued ${formatDuration(begin - run.createdAt)}, at work ${formatDuration(end - begin)}`;
  return (
    <span className="bars" title={title}>
      <i className="bar-queued" style={part(run.createdAt, begin)} />
      {run.startedAt !== null && (
        <i
          className={`bar-running ${run.isLeft ? "left" : run.status} ${isCritical ? "critical" : ""}`}
          style={part(begin, end)}
        />
      )}
      <span className="unseen">{title}</span>
    </span>
  );
}
