import { type ReactNode, useState } from "react";
import { describeApproval } from "../../../src/run/permission.ts";
import { formatClock, formatMoment } from "../../data/format.ts";
import { useJournal } from "../../data/queries.ts";
import type { RunEvent } from "../../data/types.ts";
import { Loading, ProblemNotice } from "../../part/problem-notice.tsx";
import { Rows } from "../../part/rows.tsx";

/** The journal of a run, event by event, with the selected event as it is stored. */
export function RunEvents({ id, at }: { id: string; at: number | null }): ReactNode {
  const [selected, setSelected] = useState(at);
  const { data, error } = useJournal(id);
  if (error !== null) return <ProblemNotice error={error} />;
  if (data === undefined) return <Loading />;
  const event = data.find(({ seq }) => seq === selected);
  return (
    <div className="events">
      <Rows
        items={data}
        height={32}
        label="Events"
        selected={data.findIndex(({ seq }) => seq === at)}
        row={(row) => (
          <EventRow event={row} isSelected={row.seq === selected} onSelect={setSelected} />
        )}
      />
      {event === undefined ? (
        <p className="faint">Select an event to see it as it is stored.</p>
      ) : (
        <pre tabIndex={0} role="region" aria-label={`Event ${event.seq}`}>
          {JSON.stringify(event, null, 2)}
        </pre>
      )}
    </div>
  );
}

function EventRow({
  event,
  isSelected,
  onSelect,
}: {
  event: RunEvent;
  isSelected: boolean;
  onSelect: (seq: number) => void;
}): ReactNode {
  return (
    <button
      type="button"
      className="event-row"
      aria-pressed={isSelected}
      onClick={() => onSelect(event.seq)}
    >
      <span className="number">{event.seq}</span>
      <strong>{event.type}</strong>
      <span className="what">{aboutOf(event)}</span>
      <time className="number" title={formatMoment(event.at)}>
        {formatClock(event.at)}
      </time>
    </button>
  );
}

/** Describes an event in a few words. */
function aboutOf(event: RunEvent): string {
  if (event.type === "step-started") return event.title;
  if (event.type === "step-finished") return `${event.kind} ${event.key}`;
  if (event.type === "approval-requested") return event.request.title;
  if (event.type === "approval-answered") return describeApproval(event.answer);
  if (event.type === "run-finished") return event.result.status;
  if ("message" in event && typeof event.message === "string") return event.message;
  if ("reason" in event) return event.reason;
  return "key" in event ? event.key : "";
}
