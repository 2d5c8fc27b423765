import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, globSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Builds `dist`: what tsc makes of `src`, and the prompts and templates that stand beside the code. */
const root = join(import.meta.dirname, "..");
process.chdir(root);
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit",
});
for (const file of globSync("src/**/{prompt,template}/**/*.*")) {
  cpSync(file, file.replace(/^src/, "dist"));
}
chmodSync("dist/cli/main.js", 0o755);
