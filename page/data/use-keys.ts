import { useEffect } from "react";

/** Calls `onKey` for keys that are typed in no field, with no other key held. It returns whether the key means something. */
export function useKeys(onKey: (key: string) => boolean, isOn = true): void {
  useEffect(() => {
    if (!isOn) return;
    const listen = (event: KeyboardEvent): void => {
      const { target, key, ctrlKey, metaKey, altKey, defaultPrevented } = event;
      if (ctrlKey || metaKey || altKey || defaultPrevented) return;
      if (target instanceof Element && target.closest("input, textarea, select, dialog") !== null) {
        return;
      }
      if (onKey(key)) event.preventDefault();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  });
}
