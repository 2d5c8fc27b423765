import type { Page } from "playwright-core";

/**
 * Inspects what a screen looks like, in terms that hold for every version of a browser and every font. Returns what is wrong: it is
 * wider than the window, a text is cut off without dots, a control is covered by something else or too small to hit.
 */
export async function inspectLayout(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const findings: string[] = [];
    const describe = (element: Element): string =>
      `<${element.tagName.toLowerCase()} class="${element.getAttribute("class") ?? ""}"> ${(element.textContent ?? "").slice(0, 40)}`;
    const isSeen = (element: Element): boolean =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      element.closest(".unseen") === null;
    if (document.documentElement.scrollWidth > innerWidth) findings.push("wider than the window");
    // Behind a dialog nothing can be used.
    const scope = document.querySelector("dialog[open]") ?? document.body;
    for (const element of scope.querySelectorAll("*")) {
      if (!isSeen(element) || !(element instanceof HTMLElement)) continue;
      const { overflowX, overflowY, textOverflow, position } = getComputedStyle(element);
      const hasText = Array.from(element.childNodes).some(
        (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? "").trim() !== "",
      );
      const isCut =
        (overflowX === "hidden" &&
          textOverflow !== "ellipsis" &&
          element.scrollWidth > element.clientWidth + 1) ||
        (overflowY === "hidden" && element.scrollHeight > element.clientHeight + 1);
      if (hasText && isCut && position !== "absolute")
        findings.push(`cut off: ${describe(element)}`);
    }
    for (const element of scope.querySelectorAll("a, button, input, select, textarea, summary")) {
      if (!isSeen(element)) continue;
      const { left, top, width, height } = element.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
      const hit = document.elementFromPoint(x, y);
      // Rows beyond the edge of a list that scrolls are under what is around it.
      const scroller = element.closest(
        ".rows, .run-body, .graph, .view, .side, .agent, pre, .wide",
      );
      const edge = scroller?.getBoundingClientRect();
      const head = scroller?.querySelector(".axis, .list-head")?.getBoundingClientRect();
      if (
        edge !== undefined &&
        (y > edge.bottom || y < (head?.bottom ?? edge.top) || x > edge.right)
      ) {
        continue;
      }
      const isHit = hit !== null && (element.contains(hit) || hit.contains(element));
      const isUnderBar = hit?.closest(".composer, .heads, .legend") !== null;
      if (!isHit && !isUnderBar)
        findings.push(
          `covered: ${describe(element)} by ${hit === null ? "nothing" : describe(hit)}`,
        );
      if (width < 16 || height < 16) findings.push(`small: ${describe(element)}`);
    }
    return findings;
  });
}

/** An entry of the type `layout-shift`. */
interface LayoutShift {
  value: number;
  hadRecentInput: boolean;
}

/** Adds up by how much what is seen was moved without a person doing it: the layout shift of web vitals. */
export async function watchLayout(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const store = globalThis as unknown as { moved: number };
    store.moved = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as LayoutShift[]) {
        if (!entry.hadRecentInput) store.moved += entry.value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  return async () => await page.evaluate(() => (globalThis as unknown as { moved: number }).moved);
}
