// npm executes this script after it has installed the dependencies of a checkout, and before it packs one. It builds the package.
// Plain JavaScript for Node 20, because npm executes it with the Node version that the machine has.
import { spawnSync } from "node:child_process";
import { sep } from "node:path";

const isCloneOfNpm = process.cwd().includes(`${sep}_cacache${sep}tmp${sep}git-clone`);
if (isCloneOfNpm && process.env.npm_config_global === "true") {
  // npm installs its clone globally to prepare it, and deletes what it has installed of the package.
  console.error(
    "npm cannot install this package globally from git. Pack it first: npm pack git+URL && npm install -g ./cadre-0.1.0.tgz",
  );
  process.exit(1);
}
// `run.mjs` installs the dependencies for a script that needs no build.
if (process.env.CADRE_INSTALLS === undefined) {
  const { status } = spawnSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
  process.exit(status ?? 1);
}
