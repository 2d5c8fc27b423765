// Parts that several views share: status, budget, tables, Markdown and forms.

import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";

interface RowsProps<Item> {
  items: readonly Item[];
  /** The height of a row, in pixels. */
  height: number;
  label: string;
  row: (item: Item, index: number) => ReactNode;
  /** The heading above the rows, which is as wide as they are. */
  head?: ReactNode;
  /** Returns the key of an item, so that its row is kept when others are added above it. Default: the index. */
  keyOf?: (item: Item) => string | number;
  /** The index of the row that the list scrolls to when it changes. */
  selected?: number;
  /** Called when the last rows become visible. */
  onEnd?: () => void;
}

/** A scrolling list that renders only the visible rows. */
export function Rows<Item>(props: RowsProps<Item>): ReactNode {
  const { items, height, label, row, head, keyOf, selected, onEnd } = props;
  const scrolling = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scrolling.current,
    estimateSize: () => height,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined || keyOf === undefined ? index : keyOf(item);
    },
    overscan: 8,
  });
  const seen = virtual.getVirtualItems();
  const isEnd = (seen.at(-1)?.index ?? 0) >= items.length - 1;
  useEffect(() => {
    if (isEnd) onEnd?.();
  }, [isEnd, items.length]);
  useEffect(() => {
    if (selected !== undefined && selected >= 0) virtual.scrollToIndex(selected);
  }, [selected]);
  return (
    <div className="rows" ref={scrolling} tabIndex={0} role="region" aria-label={label}>
      {head}
      <div role="list" style={{ height: virtual.getTotalSize() }}>
        {seen.map(({ index, start, key }) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            <div
              key={key}
              role="listitem"
              aria-setsize={items.length}
              aria-posinset={index + 1}
              className="row"
              style={{ height, transform: `translateY(${start}px)` }}
            >
              {row(item, index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
