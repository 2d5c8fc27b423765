import { onTestFinished } from "vitest";
import { type Browser, chromium, type Page } from "playwright-core";
import type { ServedFixture } from "../serve/serve-fixture.ts";

let launched: Promise<Browser> | undefined;

/**
 * Starts the browser once for all files that a worker executes, because it takes longer than most tests. Each test has its own context.
 * The browser ends with the worker, whose pipe it reads.
 */
async function launch(): Promise<Browser> {
  const executablePath = process.env["CADRE_TEST_CHROMIUM"] ?? "";
  // Root, the user of many CI systems, cannot use the browser's own sandbox. Without a GPU, plain drawing is faster than emulating one.
  const args = ["--no-sandbox", "--disable-gpu"];
  launched ??= chromium.launch({ executablePath, args });
  return await launched;
}

/** Options of {@link openPage}. */
export interface PageOptions {
  width?: number;
  height?: number;
}

/** A page of a signed-in browser with its own cookies. */
export interface OpenPage {
  page: Page;
  /** The problems of the page: errors of scripts, and loads that the page's policy refused. */
  problems: string[];
  /** Shows a view. */
  go(view: string): Promise<void>;
}

/** Signs in a browser at the server. The browser is closed with the test. */
export async function openPage(
  { url, link }: Pick<ServedFixture, "url" | "link">,
  { width = 1280, height = 800 }: PageOptions = {},
): Promise<OpenPage> {
  const browser = await launch();
  const context = await browser.newContext({ viewport: { width, height } });
  onTestFinished(async () => await context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !/Failed to load resource|ERR_/.test(text))
      problems.push(text);
  });
  page.on("dialog", (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(link);
  await page.getByText("live", { exact: true }).waitFor();
  return { page, problems, go: async (view) => void (await page.goto(`${url}/#/${view}`)) };
}

/** Creates a link that signs in another browser. */
export async function createLink({ call }: Pick<ServedFixture, "call">): Promise<string> {
  const { json } = await call("/sign-in-links", {});
  return String(json["link"]);
}
