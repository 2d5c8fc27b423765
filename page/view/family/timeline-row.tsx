import { type FunctionComponent, memo, type ReactNode } from "react";
import { formatDuration, formatNumberOf } from "../../../src/cli/view/format-value.ts";
import { endOf, type FamilyRow, type Span, nameOf } from "../../data/family.ts";
import { useSteps } from "../../data/queries.ts";
import { addressOf } from "../../data/route.ts";
import { segmentsOf } from "../../data/timeline.ts";
import { useSettled } from "../../hook/use-settled.ts";
import { Status } from "../../part/status.tsx";

interface TimelineRowProps {
  row: FamilyRow;
  span: Span;
  now: number;
  /** The steps of the run that started other runs. */
  childSteps: ReadonlySet<string> | undefined;
  isSelected: boolean;
  isCritical: boolean;
  isFolded: boolean;
  onFold: (id: string) => void;
}

/** A run in its tree with its times. Rows that stay are not drawn again while others scroll past. */
export const TimelineRow: FunctionComponent<TimelineRowProps> = memo(ShownRow);

function ShownRow(props: TimelineRowProps): ReactNode {
  const { row, now, isSelected, isFolded, onFold } = props;
  const { run, depth, childCount } = row;
  const name = nameOf(run);
  const end = endOf(run, now);
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
        <a
          href={addressOf("runs", run.id)}
          aria-current={isSelected ? "true" : undefined}
          title={run.title ?? run.task}
        >
          <strong>{name}</strong> <span className="faint">{run.title ?? run.task}</span>
        </a>
      </span>
      <Bar {...props} end={end} />
      <span className="number">{formatDuration(end - (run.startedAt ?? run.createdAt))}</span>
    </div>
  );
}

/** How long a row must be visible before its steps are read, in milliseconds. */
const settledMs = 120;

/** The times of a run: its wait in the queue, its work, and its activities. */
function Bar({
  row: { run },
  span,
  end,
  childSteps,
  isCritical,
}: TimelineRowProps & { end: number }): ReactNode {
  const isSettled = useSettled(settledMs);
  const whole = span.to - span.from;
  const begin = run.startedAt ?? end;
  const part: PlaceOf = (from, to) => ({
    left: `${(100 * (from - span.from)) / whole}%`,
    width: `max(2px, ${(100 * (to - from)) / whole}%)`,
  });
  const title = `queued ${formatDuration(begin - run.createdAt)}, at work ${formatDuration(end - begin)}`;
  return (
    <span className="bars" title={title}>
      <i className="bar-queued" style={part(run.createdAt, begin)} />
      {run.startedAt !== null && (
        <i className={`bar-work ${run.isLeft ? "left" : run.status}`} style={part(begin, end)} />
      )}
      {isSettled && <Segments id={run.id} {...{ childSteps, span, end, part }} />}
      {isCritical && <i className="critical" style={part(run.createdAt, end)} />}
      <span className="unseen">
        {title}
        {isCritical && ", on the critical path"}
      </span>
    </span>
  );
}

/** Returns the position of a period. */
type PlaceOf = (from: number, to: number) => { left: string; width: string };

/** The activities of a run. */
function Segments({
  id,
  childSteps = none,
  span,
  end,
  part,
}: Pick<TimelineRowProps, "childSteps" | "span"> & {
  id: string;
  end: number;
  part: PlaceOf;
}): ReactNode {
  const { data: steps } = useSteps(id);
  if (steps === undefined) return null;
  return segmentsOf(steps, { childSteps, span, end }).map(({ kind, from, to }) => (
    <i key={`${kind} ${from}`} className={`segment bar-${kind}`} style={part(from, to)} />
  ));
}

const none: ReadonlySet<string> = new Set();
