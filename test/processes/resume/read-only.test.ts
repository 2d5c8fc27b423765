import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { canMount } from "../../fixtures/disk.ts";
import { cadre, createProject, type Project } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

const script = `scripts:
  - when: { task: stuck }
    reply: { fault: { kind: hang } }
  - reply: { text: "came through" }
`;

/** Moves the state of a project to a file system that is mounted read-only. */
function makeReadOnly({ path }: Project): void {
  const state = join(path, "state");
  const copy = join(path, "copy");
  cpSync(state, copy, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", state]);
  onTestFinished(() => void execFileSync("umount", ["-l", state]));
  cpSync(copy, state, { recursive: true });
  execFileSync("mount", ["-o", "remount,ro", state]);
}

async function expectStatus(project: Project, status: string): Promise<void> {
  for (const words of [["runs"], ["tree", "last"], ["show", "last"], ["events", "last"]]) {
    const { code, stdout, stderr } = await cadre(project, words);
    expect(code, `${words[0]}: ${stderr}`).toBe(0);
    expect(stdout).not.toBe("");
  }
  const listed = await cadre(project, ["runs", "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject({ runs: [{ status }] });
}

describe.skipIf(!canMount())("a state folder on a read-only file system", () => {
  it("can be read, and an execution fails with the reason", async () => {
    const project = createProject({ "script.yaml": script });
    expect((await cadre(project, ["run", "go"])).code).toBe(0);
    makeReadOnly(project);
    await expectStatus(project, "succeeded");
    for (const words of [["run", "again"], ["retry", "last"], ["prune"], ["cache", "--clear"]]) {
      const { code, stderr } = await cadre(project, words);
      if (words[0] === "retry") expect(code).toBe(2);
      else expect(stderr, words[0]).toMatch(/can be read, but not written.*CADRE_STATE_DIR/);
      expect(stderr).not.toContain("internal error");
    }
  });

  it("can be read after its process was killed, including data that is only in the log", async () => {
    const project = createProject({ "script.yaml": script });
    mkdirSync(join(project.path, "state"));
    const { child, ended, printed } = start(project, ["run", "stuck"]);
    await printed("main started");
    child.kill("SIGKILL");
    await ended;
    makeReadOnly(project);
    await expectStatus(project, "running");
    const { code, stderr } = await cadre(project, ["resume"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/can be read, but not written/);
  });
});
