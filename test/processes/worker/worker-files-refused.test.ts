import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClone } from "../../fixtures/git/git-remote.ts";
import {
  createGitFixture,
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
  poll,
} from "../../fixtures/postgres/worker-fixture.ts";
import { cadre } from "../../cli/command-line.ts";

describe.skipIf(postgresUrl === undefined)(
  "cadre run --detach --workspace git, where it cannot work",
  () => {
    it("is refused by workers that may not clone, and waits for one that may", async () => {
      const project = await createGitFixture();
      await startReadyWorker(project, "--clone", "https://example.org/");
      const id = await submitByGit(project, "change");
      await expect
        .poll(async () => (await readPrintedWork(project)).waiting, poll)
        .toMatchObject([
          {
            rootId: id,
            reason: expect.stringContaining(`--clone ${project.clone.remote}`) as string,
          },
        ]);
      await startReadyWorker(project, "--clone", project.clone.remote);
      expect(await resultOf(project, id)).toMatchObject({ status: "succeeded" });
    });

    it("does not push secrets unless that is allowed, and records no run then", async () => {
      const project = await createGitFixture();
      project.write(".env", "TOKEN=1\n");
      const words = ["run", "--detach", "--workspace", "git", "change"];
      const { code, stderr } = await cadre(project, words);
      expect(code).toBe(2);
      expect(stderr).toContain("these names suggest secrets: .env. Add them to .gitignore");
      expect(JSON.parse((await cadre(project, ["runs", "--json"])).stdout)).toEqual({ runs: [] });
      expect(refsOf(project.clone)).toEqual(["refs/heads/trunk"]);
      const allowed = await cadre(project, [...words, "--push-secrets"]);
      expect(allowed.code).toBe(0);
      expect(allowed.stderr).toContain("Pushed despite their names: .env.");
    });

    it("cancels the run when the push is refused, with what the remote said", async () => {
      const project = await createGitFixture();
      const hook = join(project.clone.remote, "hooks/pre-receive");
      writeFileSync(hook, "#!/bin/sh\necho you may not push >&2\nexit 1\n", { mode: 0o755 });
      const words = ["run", "--detach", "--workspace", "git", "change"];
      const { code, stderr } = await cadre(project, words);
      expect(code).not.toBe(0);
      expect(stderr).toContain("you may not push");
      const { runs } = JSON.parse((await cadre(project, ["runs", "--json"])).stdout) as {
        runs: { status: string }[];
      };
      expect(runs).toMatchObject([{ status: "cancelled" }]);
      expect((await readPrintedWork(project)).waiting).toEqual([]);
    });

    it("says what is missing: a repository, a remote or a commit", async () => {
      const project = await createWorkerFixture(twoStepScript);
      const refusal = async (): Promise<string> =>
        (await cadre(project, ["run", "--detach", "--workspace", "git", "change"])).stderr;
      rmSync(join(project.path, ".git"), { recursive: true });
      expect(await refusal()).toContain("Expected a git repository");
      project.write(".gitignore", "state\n");
      const clone = createClone(project.path);
      clone.git("remote", "remove", "origin");
      expect(await refusal()).toContain("to have the remote `origin`");
      clone.git("remote", "add", "origin", join(project.home, "gone.git"));
      expect(await refusal()).toContain("does not appear to be a git repository");
      clone.git("remote", "set-url", "origin", clone.remote);
      clone.git("update-ref", "-d", "HEAD");
      expect(await refusal()).toContain("Create the first one with `git commit`");
    });

    it("is cancelled while it waits, and leaves no refs", async () => {
      const project = await createGitFixture();
      const { clone } = project;
      const id = await submitByGit(project, "change");
      expect((await cadre(project, ["cancel", id])).code).toBe(0);
      expect(refsOf(clone)).toEqual([`refs/cadre/${id}/base`, "refs/heads/trunk"]);
      expect((await cadre(project, ["discard", id])).stderr).toBe("");
      expect(refsOf(clone)).toEqual(["refs/heads/trunk"]);
      const other = await submitByGit(project, "change");
      expect((await cadre(project, ["cancel", other])).code).toBe(0);
      await startReadyWorker(project, "--clone", clone.remote);
      await expect.poll(() => refsOf(clone), poll).toEqual(["refs/heads/trunk"]);
    });

    it("refuses agents that need a worktree of their own", async () => {
      const project = await createWorkerFixture(twoStepScript);
      const about = "name: alone\ndescription: Works alone.\nisolation: worktree";
      project.write(".cadre/agents/alone.md", `---\n${about}\n---\nWork alone.\n`);
      project.write(".gitignore", "state\n");
      const clone = createClone(project.path);
      const words = ["run", "--detach", "--trust", "--workspace", "git", "alone", "help"];
      const { code, stderr } = await cadre(project, words);
      expect(code).not.toBe(0);
      expect(stderr).toContain("Submit the run with `--workspace same`");
      await startReadyWorker(project, "--trust", "--clone", clone.remote);
      const id = await submitByGit(project, "--trust", "delegate");
      expect(await resultOf(project, id)).toMatchObject({ status: "succeeded" });
      const { stdout } = await cadre(project, ["logs", id]);
      expect(stdout).toContain("which needs a repository that stays");
    });

    it("is only continued by workers", async () => {
      const project = await createGitFixture();
      const { clone } = project;
      const worker = await startReadyWorker(project, "--clone", clone.remote);
      const id = await submitByGit(project, "pause");
      await expect.poll(() => has(project.home, "begun"), poll).toBe(true);
      worker.child.kill("SIGKILL");
      await worker.ended;
      await expect
        .poll(async () => (await cadre(project, ["resume", id])).stderr, poll)
        .toContain("only workers have");
    });
  },
);
