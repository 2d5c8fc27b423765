import type { ReactNode } from "react";

/** Two buttons that zoom in and out. */
export function ZoomButtons({
  label,
  more,
  less,
  isAll = false,
  onZoom,
}: {
  label: string;
  more: string;
  less: string;
  /** Whether everything is visible. */
  isAll?: boolean;
  /** Called with the factor by which to enlarge. */
  onZoom: (factor: number) => void;
}): ReactNode {
  return (
    <span className="zoom" role="group" aria-label={label}>
      <button type="button" aria-label={more} onClick={() => onZoom(2)}>
        +
      </button>
      <button type="button" aria-label={less} disabled={isAll} onClick={() => onZoom(0.5)}>
        −
      </button>
    </span>
  );
}
