import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { chromium } from "playwright-core";
import { hashPage } from "./hash-page.ts";

/**
 * Draws the pictures of the page in `docs`: the family of the last run of `npm run demo`, as a timeline and as a graph, in the Chromium
 * that CADRE_TEST_CHROMIUM names (default: Debian's). Run `npm run demo` and `npm run build` first. Also writes the hash of the
 * sources that the pictures show.
 */
const root = join(import.meta.dirname, "..");
const server = spawn(
  process.execPath,
  [join(root, "dist/cli/main.js"), "serve", "--json", "--port", "0"],
  {
    cwd: root,
    env: { ...process.env, CADRE_STATE_DIR: join(root, "demo-output/state") },
    stdio: ["ignore", "pipe", "inherit"],
  },
);
const [line] = (await once(createInterface(server.stdout), "line")) as [string];
const { url, link } = JSON.parse(line) as { url: string; link: string };
const executablePath = process.env["CADRE_TEST_CHROMIUM"] ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

/** Draws one picture: the run `last` after the given keys. */
async function draw(name: string, theme: "light" | "dark", keys: readonly string[]): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 640 },
    colorScheme: theme,
    storageState: signedIn,
  });
  const page = await context.newPage();
  await page.goto(`${url}/#/runs/last`);
  await page.getByText("Ended: succeeded").waitFor();
  await page.locator(".segment").nth(12).waitFor();
  await page.getByText("live", { exact: true }).waitFor();
  for (const key of keys) await page.keyboard.press(key);
  if (keys.includes("v")) await page.locator(".node").first().waitFor();
  await page.screenshot({ path: join(root, "docs", name) });
  await context.close();
}

const first = await browser.newContext();
await (await first.newPage()).goto(link);
const signedIn = await first.storageState();
try {
  await draw("page.png", "light", []);
  await draw("page-graph.png", "dark", ["v", "2"]);
  writeFileSync(join(root, "docs", "page.sha256"), `${hashPage()}\n`);
} finally {
  await browser.close();
  server.kill("SIGTERM");
}
