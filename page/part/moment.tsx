import type { ReactNode } from "react";
import { formatAgo, formatMoment } from "../data/format.ts";

/** A time as `5 min ago`, with the date as its title. */
export function Moment({ time, now }: { time: number; now: number }): ReactNode {
  return (
    <time dateTime={new Date(time).toISOString()} title={formatMoment(time)}>
      {formatAgo(time, now)}
    </time>
  );
}
