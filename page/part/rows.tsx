import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useRef } from "react";

/** A scrolling list that renders only the visible rows, each `height` pixels high. */
export function Rows({
  count,
  height,
  label,
  row,
  onEnd,
}: {
  count: number;
  height: number;
  label: string;
  row: (index: number) => ReactNode;
  /** Called when the last rows become visible. */
  onEnd?: () => void;
}): ReactNode {
  const scrolling = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scrolling.current,
    estimateSize: () => height,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  if (onEnd !== undefined && (items.at(-1)?.index ?? 0) >= count - 1) queueMicrotask(onEnd);
  return (
    <div className="rows" ref={scrolling} tabIndex={0} role="region" aria-label={label}>
      <div role="list" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start, key }) => (
          <div
            key={key}
            role="listitem"
            aria-setsize={count}
            aria-posinset={index + 1}
            className="row"
            style={{ height, transform: `translateY(${start}px)` }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
