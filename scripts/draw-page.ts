import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { chromium } from "playwright-core";

/**
 * Draws `docs/page.png`, the picture of the page: the family of the last run of `npm run demo`, in the Chromium that
 * CADRE_TEST_CHROMIUM names (default: Debian's). Run `npm run demo` and `npm run build` first.
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
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 640 } });
  await page.goto(link);
  await page.goto(`${url}/#/runs/last`);
  await page.getByText("Ended: succeeded").waitFor();
  await page.screenshot({ path: join(root, "docs", "page.png") });
} finally {
  await browser.close();
  server.kill("SIGTERM");
}
