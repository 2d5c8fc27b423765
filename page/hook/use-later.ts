import { useEffect, useState } from "react";

/** A value once it has stayed the same for a while: what is typed need not be asked for letter by letter. */
export function useLater<Value>(value: Value, afterMs: number): Value {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return later;
}
