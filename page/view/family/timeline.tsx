import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { type FamilyRow, findCriticalPath, type Span, spanOf } from "../../data/family.ts";
import { findChildSteps, move, ticksOf, zoom } from "../../data/timeline.ts";
import type { ServedRun } from "../../data/types.ts";
import { useKeys } from "../../hook/use-keys.ts";
import { Rows } from "../../part/rows.tsx";
import { ZoomButtons } from "../../part/zoom-buttons.tsx";
import { TimelineRow } from "./timeline-row.tsx";

interface TimelineProps {
  runs: readonly ServedRun[];
  rows: readonly FamilyRow[];
  selected: string;
  now: number;
  folded: ReadonlySet<string>;
  onFold: (id: string) => void;
}

/** The tree of a family with a bar for each run. The user can zoom in on a part of the time. */
export function Timeline({ runs, rows, selected, now, folded, onFold }: TimelineProps): ReactNode {
  const path = useMemo(() => findCriticalPath(runs, now), [runs, now]);
  const childSteps = useMemo(() => findChildSteps(runs), [runs]);
  const whole = useMemo(() => spanOf(runs, now), [runs, now]);
  const { span, area, change } = useZoom(whole);
  return (
    <div className="timeline" ref={area}>
      <Rows
        items={rows}
        height={32}
        label="Family"
        head={<Axis span={span} whole={whole} onChange={change} />}
        selected={rows.findIndex(({ run }) => run.id === selected)}
        keyOf={({ run }) => run.id}
        row={(row) => (
          <TimelineRow
            row={row}
            span={span}
            now={now}
            childSteps={childSteps.get(row.run.id)}
            isSelected={row.run.id === selected}
            isCritical={path.has(row.run.id)}
            isFolded={folded.has(row.run.id)}
            onFold={onFold}
          />
        )}
      />
    </div>
  );
}

/** The visible part of the time, which keys and the wheel change. */
function useZoom(whole: Span): {
  span: Span;
  area: RefObject<HTMLDivElement | null>;
  change: (next: Span) => void;
} {
  const [seen, setSeen] = useState<Span | null>(null);
  const span = seen ?? whole;
  const change = (next: Span): void => {
    const isAll = next.from <= whole.from && next.to >= whole.to;
    setSeen(isAll ? null : next);
  };
  const area = useZoomByWheel((factor, at) => change(zoom(span, whole, factor, at)));
  useKeys((key) => {
    const next = {
      "+": () => zoom(span, whole, 0.5),
      "-": () => zoom(span, whole, 2),
      "0": () => whole,
      "<": () => move(span, whole, -0.25),
      ">": () => move(span, whole, 0.25),
    }[key];
    if (next !== undefined) change(next());
    return next !== undefined;
  });
  return { span, area, change };
}

function Axis({
  span,
  whole,
  onChange,
}: {
  span: Span;
  whole: Span;
  onChange: (next: Span) => void;
}): ReactNode {
  const isAll = span.from <= whole.from && span.to >= whole.to;
  const ticks = ticksOf(span, whole.from);
  const percent = (part: number): string => `${(100 * part) / (span.to - span.from)}%`;
  return (
    <div className="tree-row axis">
      <Legend />
      <span className="ticks" aria-hidden="true">
        {ticks.map(({ at, label }, index) => {
          const end = ticks[index + 1]?.at ?? span.to;
          return (
            <span key={at} style={{ left: percent(at - span.from), width: percent(end - at) }}>
              {label}
            </span>
          );
        })}
      </span>
      <ZoomButtons
        label="Zoom"
        more="Show less time"
        less="Show more time"
        isAll={isAll}
        onZoom={(factor) => onChange(zoom(span, whole, 1 / factor))}
      />
    </div>
  );
}

const legend = [
  ["queued", "queued"],
  ["model", "model"],
  ["tool", "tool"],
  ["children", "waits for runs"],
  ["question", "waits for you"],
  ["retry", "retry"],
  ["critical", "critical path"],
] as const;

function Legend(): ReactNode {
  return (
    <details className="legend">
      <summary>Colours</summary>
      <ul>
        {legend.map(([kind, name]) => (
          <li key={kind}>
            <i className={`bar-${kind}`} /> {name}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Zooms around the pointer with Ctrl and the wheel, or with two fingers. */
function useZoomByWheel(
  onZoom: (factor: number, at: number) => void,
): RefObject<HTMLDivElement | null> {
  const area = useRef<HTMLDivElement>(null);
  const latest = useRef(onZoom);
  useEffect(() => {
    latest.current = onZoom;
  });
  useEffect(() => {
    const element = area.current;
    const listen = (event: WheelEvent): void => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const ticks = element?.querySelector(".ticks")?.getBoundingClientRect();
      const at = ticks === undefined ? 0.5 : (event.clientX - ticks.left) / ticks.width;
      latest.current(Math.exp(event.deltaY / 200), Math.min(1, Math.max(0, at)));
    };
    // React's own listeners cannot prevent the browser from zooming the page.
    element?.addEventListener("wheel", listen, { passive: false });
    return () => element?.removeEventListener("wheel", listen);
  }, []);
  return area;
}
