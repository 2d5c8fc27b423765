import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

const script = readFileSync(new URL("find-layout-problems.js", import.meta.url), "utf8");

/**
 * Inspects what a screen looks like, in terms that hold for every version of a browser and every font. Returns what is wrong: it is
 * wider than the window, a text is cut off without dots, a control is covered by something else or too small to hit.
 */
export async function inspectLayout(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(script);
}

/** Adds up by how much what is seen was moved without a person doing it: the layout shift of web vitals. */
export async function watchLayout(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(`
    globalThis.moved = 0;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) moved += value;
    }).observe({ type: "layout-shift", buffered: true });
  `);
  return async () => await page.evaluate<number>("moved");
}
