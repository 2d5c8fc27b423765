// Runs a script of this repository on the Node version it was written for, whatever Node the machine has:
// `node scripts/run.mjs src/cli/main.ts …`. Plain JavaScript for Node 20; it must import nothing from node_modules.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = join(root, "node_modules", ".bin", "node");

const [script, ...words] = process.argv.slice(2);
if (script === undefined) {
  stop("Expected a script: node scripts/run.mjs src/cli/main.ts [arguments]", 2);
}
if (!existsSync(node) || !isInstalled(root)) install(root);
// A script may have separate dependencies, which nothing else here needs.
const folder = dirname(resolve(root, script));
if (existsSync(join(folder, "package-lock.json")) && !isInstalled(folder)) install(folder);
run();

/** Reports whether the locked packages are installed, by npm's own list. Optional packages of other machines may be missing. */
function isInstalled(place) {
  const wanted = readPackages(join(place, "package-lock.json"));
  const installed = readPackages(join(place, "node_modules", ".package-lock.json"));
  if (wanted === null || installed === null) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    const own = installed[path];
    return (
      path === "" || (own === undefined ? entry.optional === true : own.version === entry.version)
    );
  });
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages ?? {};
  } catch {
    return null;
  }
}

function install(place) {
  console.error("Installing dependencies (once) …");
  const { status, error } = spawnSync(
    "npm",
    ["ci", "--no-audit", "--no-fund", "--loglevel=error"],
    // stdout belongs to the script, which may need no build.
    { cwd: place, stdio: ["ignore", 2, 2], env: { ...ownEnvironment(), CADRE_INSTALLS: "1" } },
  );
  if (error !== undefined)
    stop(`npm could not be started (${error.message}); it comes with Node.`, 1);
  if (status !== 0) {
    stop(
      `The dependencies could not be installed (npm's message is above). This needs the npm registry once; check the network, then run \`npm ci\` in ${place}.`,
      1,
    );
  }
}

/** Returns the environment without the prefix of an `npm install --global` that started this script. */
function ownEnvironment() {
  const isPlace = /^npm_config_(global|prefix|local_prefix|location)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isPlace.test(name)));
}

function run() {
  // npm starts scripts in the folder of the package. INIT_CWD is the user's folder.
  const isInRoot = resolve(process.cwd()) === root;
  const cwd = isInRoot ? (process.env.INIT_CWD ?? root) : process.cwd();
  // Stripping the types of the sources takes most of a short command's time. Node can cache the result.
  const cache = join(root, "node_modules", ".cache", "node");
  const env = { NODE_COMPILE_CACHE: cache, ...process.env };
  const child = spawn(node, [resolve(root, script), ...words], { cwd, env, stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  process.on("SIGINT", () => {
    // A terminal has already sent it to the child, which would treat a second one as a request to end at once.
    if (!process.stdin.isTTY) child.kill("SIGINT");
  });
  child.on("error", (error) => stop(`${node} could not be started: ${error.message}`, 1));
  child.on("exit", (code, signal) => {
    process.exit(signal === null ? code : 128 + constants.signals[signal]);
  });
}

function stop(message, code) {
  console.error(message);
  process.exit(code);
}
