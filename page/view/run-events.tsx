import { type ReactNode, useState } from "react";
import { formatMoment } from "../data/format.ts";
import { useJournal } from "../data/queries.ts";
import type { RunEvent } from "../data/types.ts";
import { Empty, Problem } from "../part/problem.tsx";
import { Rows } from "../part/rows.tsx";

/** The journal of a run, event by event; the selected one as it is stored. */
export function RunEvents({ id }: { id: string }): ReactNode {
  const [selected, setSelected] = useState<number | null>(null);
  const { data, error } = useJournal(id);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Empty>Reading …</Empty>;
  const event = data.find(({ seq }) => seq === selected);
  return (
    <div className="events">
      <Rows
        count={data.length}
        height={34}
        label="Events"
        row={(index) => {
          const row = data[index];
          return row === undefined ? null : (
            <EventRow event={row} isSelected={row.seq === selected} onSelect={setSelected} />
          );
        }}
      />
      {event !== undefined && <pre>{JSON.stringify(event, null, 2)}</pre>}
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
      {event.seq} <strong>{event.type}</strong> {"key" in event ? event.key : ""}{" "}
      {formatMoment(event.at)}
    </button>
  );
}
