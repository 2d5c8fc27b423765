import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./bundle.ts";

/** Builds `dist`: the bundled sources, and the types tsc makes of them. */
const root = join(import.meta.dirname, "..");
process.chdir(root);
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit",
});
await bundle("dist");
chmodSync("dist/cli/main.js", 0o755);
