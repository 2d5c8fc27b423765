import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./bundle.ts";
import { createManPage } from "./man-page.ts";

/** Builds `dist`: the bundled sources, the types tsc makes of them, and the manual page. */
const root = join(import.meta.dirname, "..");
process.chdir(root);
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit",
});
await bundle("dist");
chmodSync("dist/cli/main.js", 0o755);
writeFileSync("dist/cadre.1", await createManPage());
