import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

const script = readFileSync(new URL("find-layout-problems.js", import.meta.url), "utf8");

/**
 * Inspects the layout of a screen in terms that hold for every browser version and every font. Returns the problems: the screen is
 * wider than the window, a text is cut off without an ellipsis, or a control is covered or too small.
 */
export async function inspectLayout(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(script);
}

/** Measures the layout shift of web vitals: how much the visible content moved without an action of the user. */
export async function watchLayout(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(`
    globalThis.moved = 0;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) moved += value;
    }).observe({ type: "layout-shift", buffered: true });
  `);
  return async () => await page.evaluate<number>("moved");
}
