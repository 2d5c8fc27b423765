import { existsSync, globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClone } from "../../fixtures/git/git-remote.ts";
import {
  checkouts,
  createGitFixture,
  elsewhere,
  ended,
  type ClonedProject,
  has,
  refsOf,
  resultOf,
  twoStepScript,
  submitByGit,
} from "../../fixtures/postgres/cloned-project.ts";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import {
  createWorkerFixture,
  readPrintedWork,
  startReadyWorker,
  submit,
  poll,
} from "../../fixtures/postgres/worker-fixture.ts";
import { isLong } from "../../is-long.ts";
import { cadre, createProject, type Project } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

/** Makes each push to the remote block and create the file `pushing`, until the returned function is called. */
function stopPushes({ clone, home }: ClonedProject): () => void {
  const hook = join(clone.remote, "hooks", "pre-receive");
  mkdirSync(join(clone.remote, "hooks"), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\ntouch ${home}/pushing\nexec sleep 1000\n`, { mode: 0o755 });
  return () => {
    rmSync(hook);
    rmSync(join(home, "pushing"));
  };
}

async function newestRun(project: Project): Promise<string> {
  const { stdout } = await cadre(project, ["runs", "--json"]);
  const { runs } = JSON.parse(stdout) as { runs: { id: string }[] };
  return runs[0]?.id ?? "";
}

/** Deletes the folder d0, changes the files of a third of the folders, and adds 1,000. */
const manyScript = `scripts:
  - when: { task: many, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "for d in $(seq $(($(ls -d d*/ | wc -l) / 3))); do for f in d$d/*; do echo x >> $f; done; done; rm -r d0; mkdir new; for f in $(seq 1000); do echo $f > new/$f.txt; done" } }] }
  - reply: { text: done }
`;

describe.skipIf(postgresUrl === undefined)("cadre run --detach --workspace git", () => {
  it("works on the files as they were, and git transfers its changes back", async () => {
    const project = await createGitFixture();
    const { clone } = project;
    await startReadyWorker(project, "--clone", clone.remote);
    project.write("dirty.txt", "dirty\n");
    const id = await submitByGit(project, "change");
    project.write("dirty.txt", "later\n");
    const { status, warnings } = await resultOf(project, id);
    expect(status).toBe("succeeded");
    expect(warnings.join(" ")).toContain(`on the branch cadre/${id} of ${clone.remote}`);
    await ended(project);
    expect(globSync(join(project.home, ".local/state/cadre/worktrees/families/*/*"))).toEqual([]);
    expect(existsSync(join(project.path, "c.txt"))).toBe(false);
    expect(refsOf(clone)).toEqual([`refs/heads/cadre/${id}`, "refs/heads/trunk"]);
    const diff = (await cadre(project, ["diff", id, "--json"])).stdout;
    expect(JSON.parse(diff)).toMatchObject({
      branch: `cadre/${id}`,
      files: [
        { path: "a.txt", status: "deleted" },
        { path: "b.txt", status: "added" },
        { path: "c.txt", status: "added" },
      ],
    });
    // The journal names the submitter's folder.
    const { stdout: journal } = await cadre(project, ["events", id, "--json"]);
    expect(journal).toContain(`${project.path}\\n`);
    expect(journal).not.toContain("worktrees/families");
    clone.git("checkout", "--quiet", "--", ".");
    clone.git("clean", "--quiet", "--force");
    clone.commit({ "mine.txt": "mine" });
    const { code, stderr } = await cadre(project, ["merge", id]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(clone.git("show", "HEAD:c.txt")).toBe("0\ndirty\n");
    expect(existsSync(join(project.path, "c.txt"))).toBe(true);
    expect(refsOf(clone)).toEqual(["refs/heads/trunk"]);
    expect(clone.git("branch", "--format=%(refname)")).toBe("refs/heads/trunk\n");
    const again = await cadre(project, ["merge", id]);
    expect(again.stderr).toContain(`The changes of ${id} are merged already: commit `);
  });

  it("transfers thousands of changes in a workspace of 30,000 files back", async () => {
    const project = await createWorkerFixture(manyScript);
    project.write(".gitignore", "state\n");
    const folders = isLong ? 300 : 6;
    for (let folder = 0; folder < folders; folder += 1) {
      mkdirSync(join(project.path, `d${folder}`));
      for (let file = 0; file < 100; file += 1)
        writeFileSync(join(project.path, `d${folder}/${file}.txt`), `${folder} ${file}\n`);
    }
    const clone = createClone(project.path);
    const countFiles = (): number => clone.git("ls-files").trim().split("\n").length;
    const before = countFiles();
    await startReadyWorker(project, "--clone", clone.remote);
    const id = await submitByGit(project, "many");
    expect((await resultOf(project, id)).status).toBe("succeeded");
    const { code, stdout, stderr } = await cadre(project, ["merge", id]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // 100 files were deleted, the files of a third of the folders changed, and 1,000 added.
    const changed = Math.floor(folders / 3) * 100;
    expect(stdout).toContain(`${100 + changed + 1000} files in ${project.path}`);
    expect(countFiles()).toBe(before - 100 + 1000);
    expect(clone.git("show", "HEAD:d1/5.txt")).toBe("1 5\nx\n");
    expect(clone.git("status", "--porcelain")).toBe("");
  });

  it("continues with the same files at a worker with another home and state folder", async () => {
    const project = await createGitFixture();
    const { clone } = project;
    const first = await startReadyWorker(project, "--clone", clone.remote);
    const id = await submitByGit(project, "halves");
    await expect
      .poll(() => checkouts(project).some((path) => has(path, "half.txt")), poll)
      .toBe(true);
    const diff = JSON.parse((await cadre(project, ["diff", id, "--json"])).stdout) as unknown;
    expect(diff).toMatchObject({ files: [{ path: "first.txt", status: "added" }] });
    const other = elsewhere(project);
    const { home } = other;
    await startReadyWorker(other, "--clone", clone.remote);
    first.child.kill("SIGKILL");
    await first.ended;
    expect(await resultOf(project, id)).toMatchObject({ status: "succeeded" });
    await ended(project);
    const list = clone.atRemote("show", `cadre/${id}:list.txt`).split("\n");
    // The output of the interrupted command was not recorded, so it is missing.
    expect(list).toContain("first.txt");
    expect(list).not.toContain("half.txt");
    expect(list).not.toContain("ignored");
    expect(clone.atRemote("show", `cadre/${id}:folder.txt`)).toMatch(`${home}/xdg/`);
    expect(refsOf(clone)).toEqual([`refs/heads/cadre/${id}`, "refs/heads/trunk"]);
    expect(checkouts(other)).toEqual([]);
    // The next worker of the first home deletes the files that the killed one left.
    expect(checkouts(project)).toHaveLength(1);
    await startReadyWorker(project, "--clone", clone.remote);
    expect(checkouts(project)).toEqual([]);
  });

  it("is submitted by `cadre resume` in the same way after its submission was interrupted", async () => {
    const project = await createGitFixture();
    const { clone } = project;
    const release = stopPushes(project);
    const words = ["run", "--detach", "--mode", "auto", "--workspace", "git", "change"];
    const submitter = start(project, words);
    await expect.poll(() => has(project.home, "pushing"), poll).toBe(true);
    submitter.child.kill("SIGKILL");
    await submitter.ended;
    release();
    const id = await newestRun(project);
    const resume = async (path: string, engine: string): Promise<string> => {
      const environment = { ...project.environment, CADRE_ENGINE: engine };
      const { code, stderr } = await cadre({ ...project, path, environment }, ["resume", id]);
      return `${code} ${stderr}`;
    };
    // Nothing may be executed in the folder itself here, and nothing of another folder may be pushed.
    expect(await resume(project.path, "local")).toContain(`CADRE_ENGINE=dbos cadre resume ${id}`);
    expect(await resume(createProject().path, "dbos")).toContain("Change to that folder");
    // The remote may have received the files before the submitter was killed.
    clone.atRemote("update-ref", `refs/cadre/${id}/base`, "trunk");
    await startReadyWorker(project, "--clone", clone.remote);
    expect(await resume(project.path, "dbos")).toMatch(/^0 /);
    expect(await resultOf(project, id)).toMatchObject({ status: "succeeded" });
    expect(clone.atRemote("show", `cadre/${id}:c.txt`)).not.toBe("");
    expect(existsSync(join(project.path, "c.txt"))).toBe(false);
  });

  it("is retried and forked in the way in which it was submitted, even after an interruption", async () => {
    const project = await createGitFixture();
    const { clone } = project;
    await startReadyWorker(project, "--clone", clone.remote);
    const id = await submitByGit(project, "halves");
    await expect
      .poll(() => checkouts(project).some((path) => has(path, "half.txt")), poll)
      .toBe(true);
    expect((await cadre(project, ["cancel", id])).code).toBe(0);
    await ended(project);
    const dispatched = {
      ...project,
      environment: { ...project.environment, CADRE_ENGINE: "dbos" },
    };
    // The setting `worker.workspace` is `same`.
    for (const words of [
      ["retry", id, "--mode", "auto"],
      ["fork", id, "--at", "1", "--mode", "auto"],
    ]) {
      const release = stopPushes(project);
      const submitter = start(dispatched, words);
      await expect.poll(() => has(project.home, "pushing"), poll).toBe(true);
      submitter.child.kill("SIGKILL");
      await submitter.ended;
      release();
      const again = await newestRun(project);
      expect(again).not.toBe(id);
      writeFileSync(join(project.home, "go"), "");
      expect((await cadre(dispatched, ["resume", again, "--mode", "auto"])).code).toBe(0);
      expect(await resultOf(project, again)).toMatchObject({ status: "succeeded" });
      expect(clone.atRemote("show", `cadre/${again}:folder.txt`)).toContain("worktrees/families");
      expect(existsSync(join(project.path, "folder.txt"))).toBe(false);
    }
  });

  it("runs the setup commands once for each checkout, and says which one failed", async () => {
    const project = await createGitFixture();
    const { clone } = project;
    const setup = (command: string): void => {
      project.write(".cadre/config.yaml", `worker:\n  workspace: git\n  setup: ["${command}"]\n`);
    };
    await startReadyWorker(project, "--trust", "--clone", clone.remote);
    setup("echo set > ignored; echo up > setup.txt");
    const id = await submit(project, "--trust", "change");
    expect(await resultOf(project, id)).toMatchObject({ status: "succeeded" });
    expect(clone.atRemote("show", `cadre/${id}:setup.txt`)).toBe("up\n");
    setup("echo no such module; exit 3");
    const failing = await submit(project, "--trust", "change");
    const reason =
      "`worker.setup` failed (exit code 3) in the checkout of the family. Its last output: no such module";
    await expect
      .poll(async () => (await readPrintedWork(project)).waiting, poll)
      .toMatchObject([{ rootId: failing, reason: expect.stringContaining(reason) as string }]);
  });

  it("stops when its ref is moved, and continues when it is restored", async () => {
    const project = await createGitFixture();
    const { clone } = project;
    const worker = await startReadyWorker(project, "--clone", clone.remote);
    const id = await submitByGit(project, "pause");
    await expect.poll(() => has(project.home, "begun"), poll).toBe(true);
    const work = `refs/cadre/${id}/work`;
    const before = clone.atRemote("rev-parse", work).trim();
    clone.atRemote("update-ref", work, "trunk");
    project.write("../" + basename(project.home) + "/go", "");
    await worker.printed(`${id} cannot be executed here: Expected ${work} at the remote to name`);
    clone.atRemote("update-ref", work, before);
    await startReadyWorker(project, "--clone", clone.remote);
    expect(await resultOf(project, id)).toMatchObject({ status: "succeeded" });
  });

  it("executes submitted code of agents in a trusted checkout without a question", async () => {
    const project = await createWorkerFixture(twoStepScript);
    project.write(".gitignore", "state\n");
    project.write(
      ".cadre/agents/writer.mjs",
      `import { writeFileSync } from "node:fs";
export default {
  name: "writer",
  description: "Writes.",
  async run(task, { cwd, step }) {
    await step("write", async () => writeFileSync(cwd + "/one.txt", "one") ?? null);
    return "written";
  },
};`,
    );
    const clone = createClone(project.path);
    await startReadyWorker(project, "--trust", "--clone", clone.remote);
    const id = await submitByGit(project, "--trust", "writer", "write");
    expect(await resultOf(project, id)).toMatchObject({ status: "succeeded", text: "written" });
    expect(clone.atRemote("show", `cadre/${id}:one.txt`)).toBe("one");
    const { stdout } = await cadre(project, ["events", id, "--json"]);
    const steps = stdout.split("\n").filter((line) => line.includes('"program/write"'));
    expect(steps.join("\n")).toMatch(/"files":"[0-9a-f]{40}"/);
  });

  it("leaves a family to a worker of another home at SIGTERM, and its own folders clean", async () => {
    const project = await createGitFixture();
    const { clone } = project;
    const first = await startReadyWorker(project, "--clone", clone.remote, "--drain", "0s");
    const id = await submitByGit(project, "halves");
    await expect
      .poll(() => checkouts(project).some((path) => has(path, "half.txt")), poll)
      .toBe(true);
    await startReadyWorker(elsewhere(project), "--clone", clone.remote);
    first.child.kill("SIGTERM");
    expect((await first.ended).code).toBe(0);
    expect(checkouts(project)).toEqual([]);
    expect(await resultOf(project, id)).toMatchObject({ status: "succeeded" });
    const list = clone.atRemote("show", `cadre/${id}:list.txt`).split("\n");
    expect(list).toContain("first.txt");
    expect(list).not.toContain("half.txt");
  });

  it("continues a conversation with the current files", async () => {
    const project = await createGitFixture();
    const { clone } = project;
    await startReadyWorker(project, "--clone", clone.remote);
    const id = await submitByGit(project, "hello");
    await resultOf(project, id);
    project.write("dirty.txt", "later\n");
    const next = await submitByGit(project, `--continue=${id}`, "go on");
    expect(await resultOf(project, next)).toMatchObject({ status: "succeeded" });
    expect(clone.atRemote("show", `cadre/${next}:seen.txt`)).toBe("later\n");
  });
});
