import type { ReactNode } from "react";

/** A bar that shows how much of a limit is used. */
export function Meter({
  name,
  used,
  limit,
  show,
  note = "",
}: {
  name: string;
  /** The used amount; `null` when unknown. */
  used: number | null;
  limit: number | undefined;
  show: (value: number) => string;
  note?: string;
}): ReactNode {
  if (limit === undefined) return null;
  const text = `${used === null ? "unknown" : show(used)} of ${show(limit)}${note}`;
  return (
    <label className="meter">
      <span>{name}</span>
      <meter min={0} max={limit} high={limit * 0.8} value={used ?? 0} />
      <span className="faint">{text}</span>
    </label>
  );
}
