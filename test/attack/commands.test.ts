import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createBashTool } from "../../src/tool/builtin/bash.ts";
import type { PermissionMode } from "../../src/run/permission.ts";
import { findSandboxProblem } from "../../src/tool/sandbox/sandbox.ts";
import { startModelServer } from "../fixtures/model-server.ts";
import { createModelProject, type ModelProject } from "../fixtures/project.ts";
import { otherSpellings } from "../fixtures/format/other-spellings.ts";
import { shellSpellings } from "../fixtures/attack/shell-spellings.ts";
import { createToolFixture, temporaryFolder } from "../fixtures/tool-call.ts";

const hasSandbox = (await findSandboxProblem()) === null;

/** Runs an agent that calls Bash with `commands`. Resolves with each result and the reasons of the questions. */
async function attack(
  commands: readonly string[],
  permissions: { mode: PermissionMode; allow?: string[]; deny?: string[] },
): Promise<{ project: ModelProject; results: string[]; reasons: string[] }> {
  const [results, reasons]: [string[], string[]] = [[], []];
  const server = await startModelServer(({ turn, last }) => {
    if (turn > 0) results.push(...last);
    return turn === 0 ? commands.map((command) => ({ tool: "Bash", input: { command } })) : "over";
  });
  const project = createModelProject(server);
  writeFileSync(join(project.folder, "x"), "kept");
  const file = join(project.home, ".cadre", "config.yaml");
  const config = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...config, permissions, sandbox: "required" }));
  const cadre = await project.open({
    mode: permissions.mode,
    async onApproval({ reason }) {
      reasons.push(reason);
      return { decision: "deny" };
    },
  });
  const run = await cadre.spawn({ agent: "main", task: "go" });
  await run.result();
  return { project, results, reasons };
}

describe.runIf(hasSandbox)("an agent that tries to remove a file", () => {
  test("succeeds in each of these ways without a rule against it", async () => {
    const fixture = createToolFixture();
    const tool = createBashTool({
      home: temporaryFolder(),
      environment: process.env,
      sandbox: { mode: "required" },
    });
    writeFileSync(join(fixture.workspace, "ways"), shellSpellings.join("\0"));
    const script = `while IFS= read -r -d '' way || [ -n "$way" ]; do
      touch x; bash -c "$way" </dev/null >/dev/null 2>&1
      [ ! -e x ] || printf 'kept by %s\\n' "$way"
    done < ways; echo over`;
    const { text } = await fixture.call(tool, { command: script });
    expect(text).toBe("over");
  });

  test("fails in each of these ways if a rule denies rm", async () => {
    const commands = [...shellSpellings, ...otherSpellings];
    const { project, results } = await attack(commands, { mode: "auto", deny: ["Bash(rm *)"] });
    expect(commands.length).toBeGreaterThan(120);
    const passed = commands.filter(
      (_, at) => !/Permission denied.*rule Bash\(rm \*\)/s.test(results[at] ?? ""),
    );
    expect(passed).toEqual([]);
    expect(readFileSync(join(project.folder, "x"), "utf8")).toBe("kept");
  });
});

describe.runIf(hasSandbox)("an agent that may use git log", () => {
  test("cannot write a file with it, and gets the reason", async () => {
    const commands = ["git log --output=made", "git log --outpu=made", "git log --out'put'=made"];
    const permissions = { mode: "ask" as const, allow: ["Bash(git log*)"] };
    const { project, reasons } = await attack(commands, permissions);
    expect(existsSync(join(project.folder, "made"))).toBe(false);
    const why =
      "git log --output writes or deletes files, which the rule Bash(git log*) does not cover";
    expect(reasons).toEqual([why, why, why]);
  });

  test("needs no approval for commands that the rule covers", async () => {
    const permissions = { mode: "ask" as const, allow: ["Bash(git log*)"] };
    const { results, reasons } = await attack(["git log --oneline -3"], permissions);
    expect(reasons).toEqual([]);
    expect(results.join()).not.toContain("Permission denied");
  });
});
