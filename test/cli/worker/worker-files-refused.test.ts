import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClone } from "../../fixtures/git-remote.ts";
import {
  createGitPlace,
  has,
  poll,
  refsOf,
  resultOf,
  script,
  submitByGit,
} from "../../fixtures/postgres/git-place.ts";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import {
  createWorkerPlace,
  listWork,
  startReadyWorker,
} from "../../fixtures/postgres/worker-place.ts";
import { cadre } from "../command-line.ts";

describe.skipIf(postgresUrl === undefined)(
  "cadre run --detach --workspace git, where it cannot work",
  () => {
    it("is refused by workers that may not clone, and waits for one that may", async () => {
      const place = await createGitPlace();
      await startReadyWorker(place, "--clone", "https://example.org/");
      const id = await submitByGit(place, "change");
      await expect
        .poll(async () => (await listWork(place)).waiting, poll)
        .toMatchObject([
          {
            rootId: id,
            reason: expect.stringContaining(`--clone ${place.clone.remote}`) as string,
          },
        ]);
      await startReadyWorker(place, "--clone", place.clone.remote);
      expect(await resultOf(place, id)).toMatchObject({ status: "succeeded" });
    });

    it("does not push secrets unless that is allowed, and records no run then", async () => {
      const place = await createGitPlace();
      place.write(".env", "TOKEN=1\n");
      const words = ["run", "--detach", "--workspace", "git", "change"];
      const { code, stderr } = await cadre(place, words);
      expect(code).toBe(2);
      expect(stderr).toContain("the names of these suggest secrets: .env. Add them to .gitignore");
      expect(JSON.parse((await cadre(place, ["runs", "--json"])).stdout)).toEqual({ runs: [] });
      expect(refsOf(place.clone)).toEqual(["refs/heads/trunk"]);
      const allowed = await cadre(place, [...words, "--push-secrets"]);
      expect(allowed.code).toBe(0);
      expect(allowed.stderr).toContain("Pushed in spite of their names: .env.");
    });

    it("cancels the run when the push is refused, with what the remote said", async () => {
      const place = await createGitPlace();
      const hook = join(place.clone.remote, "hooks/pre-receive");
      writeFileSync(hook, "#!/bin/sh\necho you may not push >&2\nexit 1\n", { mode: 0o755 });
      const words = ["run", "--detach", "--workspace", "git", "change"];
      const { code, stderr } = await cadre(place, words);
      expect(code).not.toBe(0);
      expect(stderr).toContain("you may not push");
      const { runs } = JSON.parse((await cadre(place, ["runs", "--json"])).stdout) as {
        runs: { status: string }[];
      };
      expect(runs).toMatchObject([{ status: "cancelled" }]);
      expect((await listWork(place)).waiting).toEqual([]);
    });

    it("says what is missing: a repository, a remote or a commit", async () => {
      const place = await createWorkerPlace(script);
      const refusal = async (): Promise<string> =>
        (await cadre(place, ["run", "--detach", "--workspace", "git", "change"])).stderr;
      rmSync(join(place.path, ".git"), { recursive: true });
      expect(await refusal()).toContain("Expected a git repository");
      place.write(".gitignore", "state\n");
      const clone = createClone(place.path);
      clone.git("remote", "remove", "origin");
      expect(await refusal()).toContain("to have the remote `origin`");
      clone.git("remote", "add", "origin", join(place.home, "gone.git"));
      expect(await refusal()).toContain("does not appear to be a git repository");
      clone.git("remote", "set-url", "origin", clone.remote);
      clone.git("update-ref", "-d", "HEAD");
      expect(await refusal()).toContain("Create the first one with `git commit`");
    });

    it("is cancelled while it waits, and leaves no refs", async () => {
      const place = await createGitPlace();
      const { clone } = place;
      const id = await submitByGit(place, "change");
      expect((await cadre(place, ["cancel", id])).code).toBe(0);
      expect(refsOf(clone)).toEqual([`refs/cadre/${id}/base`, "refs/heads/trunk"]);
      expect((await cadre(place, ["discard", id])).stderr).toBe("");
      expect(refsOf(clone)).toEqual(["refs/heads/trunk"]);
      const other = await submitByGit(place, "change");
      expect((await cadre(place, ["cancel", other])).code).toBe(0);
      await startReadyWorker(place, "--clone", clone.remote);
      await expect.poll(() => refsOf(clone), poll).toEqual(["refs/heads/trunk"]);
    });

    it("refuses agents that need a worktree of their own", async () => {
      const place = await createWorkerPlace(script);
      const about = "name: alone\ndescription: Works alone.\nisolation: worktree";
      place.write(".cadre/agents/alone.md", `---\n${about}\n---\nWork alone.\n`);
      place.write(".gitignore", "state\n");
      const clone = createClone(place.path);
      const words = ["run", "--detach", "--trust", "--workspace", "git", "alone", "help"];
      const { code, stderr } = await cadre(place, words);
      expect(code).not.toBe(0);
      expect(stderr).toContain("Submit the run with `--workspace same`");
      await startReadyWorker(place, "--trust", "--clone", clone.remote);
      const id = await submitByGit(place, "--trust", "delegate");
      expect(await resultOf(place, id)).toMatchObject({ status: "succeeded" });
      const { stdout } = await cadre(place, ["logs", id]);
      expect(stdout).toContain("which needs a repository that stays");
    });

    it("is only continued by workers", async () => {
      const place = await createGitPlace();
      const { clone } = place;
      const worker = await startReadyWorker(place, "--clone", clone.remote);
      const id = await submitByGit(place, "pause");
      await expect.poll(() => has(place.home, "begun"), poll).toBe(true);
      worker.child.kill("SIGKILL");
      await worker.ended;
      await expect
        .poll(async () => (await cadre(place, ["resume", id])).stderr, poll)
        .toContain("only workers have");
    });
  },
);
