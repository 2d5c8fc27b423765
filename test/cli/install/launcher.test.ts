import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createProject,
  type Ended,
  follow,
  main,
  node,
  type Project,
  root,
} from "../command-line.ts";
import { sourceCache } from "../../fixtures/compile-cache.ts";

const launcher = join(root, "scripts", "run.mjs");

/** Runs `scripts/run.mjs` on the Node of these tests, whose version must not matter. */
async function launch(
  place: Project,
  words: readonly string[],
  { cwd = root, script = launcher }: { cwd?: string; script?: string } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [script, ...words], { cwd, env: place.environment });
  return await follow(child, "").ended;
}

/** A copy of the launcher in a folder without dependencies, and an `npm` that executes `script`. */
function uninstalled(npm: string): { place: Project; script: string } {
  const place = createProject({
    "package-lock.json": '{ "packages": { "": {} } }',
    "bin/npm": npm,
  });
  mkdirSync(join(place.path, "scripts"));
  const script = join(place.path, "scripts", "run.mjs");
  copyFileSync(launcher, script);
  chmodSync(join(place.path, "bin", "npm"), 0o755);
  const path = place.environment["PATH"] ?? "";
  place.environment["PATH"] = `${join(place.path, "bin")}${delimiter}${path}`;
  return { place, script };
}

describe.concurrent("scripts/run.mjs", () => {
  it("starts a script on the project's Node, in the folder npm was called in", async () => {
    const place = createProject({ "script.yaml": "scripts:\n  - reply: { text: hi }\n" });
    const folder = join(place.path, "deep");
    mkdirSync(folder);
    Object.assign(place.environment, {
      INIT_CWD: folder,
      NODE_COMPILE_CACHE: sourceCache,
      CADRE_MODEL: "scripted:../script.yaml",
    });
    const { code, stdout } = await launch(place, ["src/cli/main.ts", "run", "a task", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ status: "succeeded", text: "hi" });
    expect(code).toBe(0);
  });

  it("passes the exit code on, and keeps the working folder if npm did not start it", async () => {
    const place = createProject();
    place.environment["INIT_CWD"] = root;
    const wrong = await launch(place, [main, "nonsense"], { cwd: place.path });
    expect(wrong.code).toBe(2);
    const here = await launch(place, [main, "trust"], { cwd: place.path });
    expect(here.stdout).toContain(`Trusted: ${place.path}.`);
  });

  it("installs missing dependencies, once, with npm's output on stderr", async () => {
    const install = `#!/bin/sh
echo "npm $*"
mkdir -p node_modules/.bin && cp package-lock.json node_modules/.package-lock.json
ln -sf "${node}" node_modules/.bin/node
`;
    const { place, script } = uninstalled(install);
    const hello = place.write("hello.mjs", "console.log('hello');\n");
    const first = await launch(place, [hello], { cwd: place.path, script });
    expect(first).toMatchObject({ code: 0, stdout: "hello\n" });
    expect(first.stderr).toBe(
      "Installing dependencies (once) …\nnpm ci --no-audit --no-fund --loglevel=error\n",
    );
    const second = await launch(place, [hello], { cwd: place.path, script });
    expect(second).toMatchObject({ code: 0, stdout: "hello\n", stderr: "" });
    place.write("package-lock.json", '{ "packages": { "": {}, "node_modules/new": {} } }');
    const third = await launch(place, [hello], { cwd: place.path, script });
    expect(third.stderr).toContain("Installing dependencies (once) …");
  });

  it("installs what a script's own folder locks, or says that it could not", async () => {
    const install = `#!/bin/sh
if [ "\${PWD##*/}" = bench ] && [ ! -e ../online ]; then echo 'network is down' >&2; exit 1; fi
mkdir -p node_modules/.bin && cp package-lock.json node_modules/.package-lock.json
ln -sf "${node}" node_modules/.bin/node
`;
    const { place, script } = uninstalled(install);
    place.write("bench/package-lock.json", '{ "packages": { "": {}, "node_modules/peer": {} } }');
    const path = place.write("bench/compare.mjs", "console.log('compared');\n");
    const { code, stdout, stderr } = await launch(place, [path], { cwd: place.path, script });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("network is down");
    expect(stderr).toContain(`then run \`npm ci\` in ${join(place.path, "bench")}.`);
    place.write("online", "");
    const again = await launch(place, [path], { cwd: place.path, script });
    expect(again).toMatchObject({ code: 0, stdout: "compared\n" });
  });

  it("says what to do if they cannot be installed", async () => {
    const { place, script } = uninstalled("#!/bin/sh\necho 'network is down' >&2\nexit 1\n");
    const { code, stdout, stderr } = await launch(place, ["x.mjs"], { cwd: place.path, script });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("network is down");
    expect(stderr).toContain("check the network, then run `npm ci`");
  });
});
