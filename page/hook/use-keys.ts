import { useEffect } from "react";

const moving: ReadonlySet<string> = new Set(["ArrowDown", "ArrowUp", "j", "k", "<", ">", "+", "-"]);

/** Calls `onKey` for keys that are typed outside of fields and without modifiers. `onKey` returns whether it handled the key. */
export function useKeys(onKey: (key: string) => boolean, isOn = true): void {
  useEffect(() => {
    if (!isOn) return;
    const listen = (event: KeyboardEvent): void => {
      const { target, key, ctrlKey, metaKey, altKey, defaultPrevented } = event;
      if (ctrlKey || metaKey || altKey || defaultPrevented) return;
      if (target instanceof Element && target.closest("input, textarea, select, dialog") !== null) {
        return;
      }
      // A repeated key may move the selection, but must not do anything else twice.
      if (event.repeat && !moving.has(key)) return;
      if (onKey(key)) event.preventDefault();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  });
}
