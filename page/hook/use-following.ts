import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

/** The distance from the end within which a user counts as reading the end, in pixels. */
const nearPx = 80;

/** Keeps the end of a growing text in view while the user is there. */
export function useFollowing(content: unknown, isOn: boolean): RefObject<HTMLDivElement | null> {
  const scrolling = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = scrolling.current;
    const listen = (): void => {
      if (element === null) return;
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearPx;
    };
    element?.addEventListener("scroll", listen, { passive: true });
    return () => element?.removeEventListener("scroll", listen);
  }, []);
  useLayoutEffect(() => {
    const element = scrolling.current;
    if (isOn && isAtEnd.current && element !== null) element.scrollTop = element.scrollHeight;
  }, [content, isOn]);
  return scrolling;
}
