import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject, follow, node } from "../../cli/command-line.ts";
import { commandFile, start } from "../../cli/start-command.ts";

describe.concurrent("the build on an older Node", () => {
  it("names the required version on an old Node, and so does the library", async () => {
    const library = join(dirname(dirname(commandFile)), "index.js");
    const project = createProject({
      "old.mjs": `Object.defineProperty(process, "versions", { value: { node: "20.20.2" } });`,
      "use.mjs": `import { createCadre } from ${JSON.stringify(library)};\nawait createCadre();\n`,
    });
    project.environment["NODE_OPTIONS"] = `--import=${join(project.path, "old.mjs")}`;
    const { code, stderr } = await start(project, ["runs"]).ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^cadre: Expected Node 24\.15 or newer; this is 20\.20\.2, at \/.*\. Install Node 24, or put it first on the PATH\.\n$/,
    );
    const options = { cwd: project.path, env: project.environment };
    const used = await follow(spawn(node, ["use.mjs"], options), "").ended;
    expect(used.stderr).toContain("cadre: Expected Node 24.15 or newer; this is 20.20.2, at /");
    expect(used.stderr).not.toMatch(/\n\s+at /);
  });

  it("imports nothing statically that an older Node does not have", () => {
    const folder = dirname(dirname(commandFile));
    const files = globSync("**/*.js", { cwd: folder });
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      expect(readFileSync(join(folder, file), "utf8")).not.toMatch(/from ?"node:sqlite"/);
    }
  });
});
