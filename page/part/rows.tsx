import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";

/** A scrolling list that renders only the visible rows, each `height` pixels high. */
export function Rows({
  count,
  height,
  label,
  row,
  head,
  keyOf = (index) => index,
  selected,
  onEnd,
}: {
  count: number;
  height: number;
  label: string;
  row: (index: number) => ReactNode;
  /** What stays above the rows, as wide as they are. */
  head?: ReactNode;
  /** What a row is about, so that it stays the same row when others are added above it. Default: its index. */
  keyOf?: (index: number) => string | number;
  /** The row that is scrolled to when it changes. */
  selected?: number;
  /** Called when the last rows are seen. */
  onEnd?: () => void;
}): ReactNode {
  const scrolling = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scrolling.current,
    estimateSize: () => height,
    getItemKey: keyOf,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const isEnd = (items.at(-1)?.index ?? 0) >= count - 1;
  useEffect(() => {
    if (isEnd) onEnd?.();
  }, [isEnd, count]);
  useEffect(() => {
    if (selected !== undefined && selected >= 0) virtual.scrollToIndex(selected);
  }, [selected]);
  return (
    <div className="rows" ref={scrolling} tabIndex={0} role="region" aria-label={label}>
      {head}
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
