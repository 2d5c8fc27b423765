import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./bundle.ts";
import { compileEarly } from "./compile-early.ts";
import { createManPage } from "./man-page.ts";
import { keepPublicDeclarations } from "./public-declarations.ts";

/** Builds `dist`: the bundled sources, the declarations of the entry points, and the manual page. */
const root = join(import.meta.dirname, "..");
process.chdir(root);
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit",
});
keepPublicDeclarations(root);
await bundle("dist");
await compileEarly("dist");
chmodSync("dist/cli/main.js", 0o755);
writeFileSync("dist/cadre.1", await createManPage());
