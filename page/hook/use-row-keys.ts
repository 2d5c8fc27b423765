import { type RefObject, useRef } from "react";
import { useKeys } from "./use-keys.ts";

/** Moves the focus with keys through the links in a table's rows. `x` chooses the focused row. */
export function useRowKeys(): RefObject<HTMLTableSectionElement | null> {
  const body = useRef<HTMLTableSectionElement>(null);
  useKeys((key) => {
    const rows = Array.from(body.current?.rows ?? []);
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key];
    if (by !== undefined) {
      rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.querySelector("a")?.focus();
      return true;
    }
    if (key !== "x" || at < 0) return false;
    rows[at]?.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
    return true;
  });
  return body;
}
