import type { ReactNode } from "react";

/** Two buttons that show something larger and smaller. */
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
  /** All of it is seen. */
  isAll?: boolean;
  /** Called with how many times larger it is to be. */
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
