import { useState } from "react";
import { goTo } from "../data/route.ts";
import { useKeys } from "./use-keys.ts";

/**
 * Moves a selection with keys through a list of runs, each with the parts of its address, and opens them. Returns the index; -1 when
 * no run is selected.
 */
export function useSelection(runs: readonly (readonly string[])[]): number {
  const [id, setId] = useState<string | null>(null);
  const at = id === null ? -1 : runs.findIndex((run) => run[0] === id);
  useKeys((key) => {
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key];
    if (by !== undefined) {
      setId(runs[Math.max(0, Math.min(runs.length - 1, at + by))]?.[0] ?? null);
      return true;
    }
    if (key !== "Enter" || at < 0) return false;
    // A focused link or button handles the key itself.
    if (document.activeElement?.matches("a, button, summary") === true) return false;
    goTo("runs", ...(runs[at] ?? []));
    return true;
  });
  return at;
}
