import { useEffect, useState } from "react";

/** A value after it has stayed the same for a while, so that typed text is not requested letter by letter. */
export function useLater<Value>(value: Value, afterMs: number): Value {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return later;
}
