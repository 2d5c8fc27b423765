import type { ReactNode } from "react";
import { formatMoment } from "../data/format.ts";
import { useJournal } from "../data/queries.ts";
import { Empty, Problem } from "../part/problem.tsx";

/** The journal of a run, event by event. */
export function RunEvents({ id }: { id: string }): ReactNode {
  const { data, error } = useJournal(id, true);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Empty>Reading …</Empty>;
  return (
    <ol className="events">
      {data.map((event) => (
        <li key={event.seq}>
          <details>
            <summary>
              {event.seq} <strong>{event.type}</strong>{" "}
              <span className="faint">
                {"key" in event ? event.key : ""} {formatMoment(event.at)}
              </span>
            </summary>
            <pre>{JSON.stringify(event, null, 2)}</pre>
          </details>
        </li>
      ))}
    </ol>
  );
}
