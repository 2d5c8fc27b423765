// Hooks of React that several views share: keys, selection, time and scrolling.

import { useEffect, useState } from "react";

/** Whether a component has been visible for a while. Rows that scroll past need not be read. */
export function useSettled(afterMs: number): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), afterMs);
    return () => clearTimeout(timer);
  }, [afterMs]);
  return isSettled;
}
