import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createProject,
  type Ended,
  follow,
  node,
  type Project,
  root,
} from "../../cli/command-line.ts";
import { commandFile } from "../../cli/start-command.ts";
import { sourceCache } from "../../fixtures/compile-cache.ts";

const launcher = join(root, "scripts", "run.mjs");

/** Runs `scripts/run.mjs` on the Node of these tests, whose version must not matter. */
async function launch(
  project: Project,
  words: readonly string[],
  { cwd = root, script = launcher }: { cwd?: string; script?: string } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [script, ...words], { cwd, env: project.environment });
  return await follow(child, "").ended;
}

/** Creates a copy of the launcher in a folder without dependencies, and an `npm` that executes `script`. */
function uninstalled(npm: string): { project: Project; script: string } {
  const project = createProject({
    "package-lock.json": '{ "packages": { "": {} } }',
    "bin/npm": npm,
  });
  mkdirSync(join(project.path, "scripts"));
  const script = join(project.path, "scripts", "run.mjs");
  copyFileSync(launcher, script);
  chmodSync(join(project.path, "bin", "npm"), 0o755);
  const path = project.environment["PATH"] ?? "";
  project.environment["PATH"] = `${join(project.path, "bin")}${delimiter}${path}`;
  return { project, script };
}

describe.concurrent("scripts/run.mjs", () => {
  it("starts a script on the project's Node, in the folder npm was called in", async () => {
    const project = createProject({ "script.yaml": "scripts:\n  - reply: { text: hi }\n" });
    const folder = join(project.path, "deep");
    mkdirSync(folder);
    Object.assign(project.environment, {
      INIT_CWD: folder,
      NODE_COMPILE_CACHE: sourceCache,
      CADRE_MODEL: "scripted:../script.yaml",
    });
    const { code, stdout } = await launch(project, ["src/cli/main.ts", "run", "a task", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ status: "succeeded", text: "hi" });
    expect(code).toBe(0);
  });

  it("passes the exit code on, and keeps the working folder if npm did not start it", async () => {
    const project = createProject();
    project.environment["INIT_CWD"] = root;
    const wrong = await launch(project, [commandFile, "nonsense"], { cwd: project.path });
    expect(wrong.code).toBe(2);
    const here = await launch(project, [commandFile, "trust"], { cwd: project.path });
    expect(here.stdout).toContain(`Trusted: ${project.path}.`);
  });

  it("installs missing dependencies, once, with npm's output on stderr", async () => {
    const install = `#!/bin/sh
echo "npm $*"
mkdir -p node_modules/.bin && cp package-lock.json node_modules/.package-lock.json
ln -sf "${node}" node_modules/.bin/node
`;
    const { project, script } = uninstalled(install);
    const hello = project.write("hello.mjs", "console.log('hello');\n");
    const first = await launch(project, [hello], { cwd: project.path, script });
    expect(first).toMatchObject({ code: 0, stdout: "hello\n" });
    expect(first.stderr).toBe(
      "Installing dependencies (once) …\nnpm ci --no-audit --no-fund --loglevel=error\n",
    );
    const second = await launch(project, [hello], { cwd: project.path, script });
    expect(second).toMatchObject({ code: 0, stdout: "hello\n", stderr: "" });
    project.write("package-lock.json", '{ "packages": { "": {}, "node_modules/new": {} } }');
    const third = await launch(project, [hello], { cwd: project.path, script });
    expect(third.stderr).toContain("Installing dependencies (once) …");
  });

  it("installs what a script's own folder locks, or says that it could not", async () => {
    const install = `#!/bin/sh
if [ "\${PWD##*/}" = bench ] && [ ! -e ../online ]; then echo 'network is down' >&2; exit 1; fi
mkdir -p node_modules/.bin && cp package-lock.json node_modules/.package-lock.json
ln -sf "${node}" node_modules/.bin/node
`;
    const { project, script } = uninstalled(install);
    project.write("bench/package-lock.json", '{ "packages": { "": {}, "node_modules/peer": {} } }');
    const path = project.write("bench/compare.mjs", "console.log('compared');\n");
    const { code, stdout, stderr } = await launch(project, [path], { cwd: project.path, script });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("network is down");
    expect(stderr).toContain(`then run \`npm ci\` in ${join(project.path, "bench")}.`);
    project.write("online", "");
    const again = await launch(project, [path], { cwd: project.path, script });
    expect(again).toMatchObject({ code: 0, stdout: "compared\n" });
  });

  it("says what to do if they cannot be installed", async () => {
    const { project, script } = uninstalled("#!/bin/sh\necho 'network is down' >&2\nexit 1\n");
    const { code, stdout, stderr } = await launch(project, ["x.mjs"], {
      cwd: project.path,
      script,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("network is down");
    expect(stderr).toContain("check the network, then run `npm ci`");
  });
});
