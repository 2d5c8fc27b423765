import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Runs the tests of the page in the Chromium that `CADRE_TEST_CHROMIUM` names, or else in Debian's, which it installs if this process
 * has the rights. The arguments are those of vitest.
 */
const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

function findBrowser(): string | undefined {
  return [process.env["CADRE_TEST_CHROMIUM"] ?? "", ...places].find(
    (path) => path !== "" && existsSync(path),
  );
}

function install(): void {
  if (process.getuid?.() !== 0) return;
  const options = ["-qq", "-o", "DPkg::Lock::Timeout=60", "-o", "Acquire::http::Timeout=20"];
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const words of [["update"], ["install", "-y", "chromium"]]) {
    spawnSync("apt-get", [...options, ...words], { env: environment, timeout: 300_000 });
  }
}

if (findBrowser() === undefined) install();
const browser = findBrowser();
if (browser === undefined) {
  process.stderr.write(
    "The tests of the page need Chromium: install it (Debian: apt-get install chromium), or name it with CADRE_TEST_CHROMIUM.\n",
  );
  process.exitCode = 1;
} else {
  const vitest = join(import.meta.dirname, "..", "node_modules", "vitest", "vitest.mjs");
  const words = [vitest, "run", "--project", "browser", ...process.argv.slice(2)];
  const environment = { ...process.env, CADRE_TEST_CHROMIUM: browser };
  const child = spawn(process.execPath, words, { env: environment, stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  process.exitCode = code ?? 1;
}
