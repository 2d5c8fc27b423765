import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasServers, startHttpsServer, startSshServer } from "../../fixtures/git/git-servers.ts";
import {
  createGitFixture,
  ended,
  type ClonedProject,
  refsOf,
  resultOf,
  submitByGit,
} from "../../fixtures/postgres/cloned-project.ts";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import { poll, readPrintedWork, startReadyWorker } from "../../fixtures/postgres/worker-fixture.ts";
import { temporaryFolder } from "../../fixtures/tool-call.ts";
import { cadre, type Project } from "../../cli/command-line.ts";
import { onTerminal } from "../../cli/on-terminal.ts";

/** Returns the same project with other variables. */
function withVariables<Fixture extends Project>(
  fixture: Fixture,
  variables: Readonly<Record<string, string>>,
): Fixture {
  return { ...fixture, environment: { ...fixture.environment, ...variables } };
}

/** Submits a run that changes files, and fetches its changes. */
async function carry(project: ClonedProject): Promise<string> {
  const { clone } = project;
  project.write("dirty.txt", "dirty\n");
  const id = await submitByGit(project, "change");
  expect(await resultOf(project, id)).toMatchObject({ status: "succeeded" });
  await ended(project);
  clone.git("checkout", "--quiet", "--", ".");
  clone.git("clean", "--quiet", "--force");
  const { code, stderr } = await cadre(project, ["merge", id]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(clone.git("show", "HEAD:c.txt")).toBe("0\ndirty\n");
  expect(refsOf(clone)).toEqual(["refs/heads/trunk"]);
  return id;
}

describe.skipIf(postgresUrl === undefined || !hasServers)(
  "files of workers by other machines' servers",
  { timeout: 300_000 },
  () => {
    it("are transferred over SSH with the key of each process, and a worker without a key says so", async () => {
      const server = await startSshServer();
      const made = await createGitFixture();
      const url = server.addressOf(made.clone.remote);
      made.clone.git("remote", "set-url", "origin", url);
      const project = withVariables(made, { GIT_SSH_COMMAND: server.command });
      const stranger = withVariables(made, { GIT_SSH_COMMAND: server.strangerCommand });
      const worker = await startReadyWorker(stranger, "--clone", url);
      const id = await submitByGit(project, "change");
      await worker.printed("refuses the SSH keys of this process");
      await expect
        .poll(async () => (await readPrintedWork(project)).waiting, poll)
        .toMatchObject([{ rootId: id, reason: expect.stringContaining("SSH keys") as string }]);
      expect((await cadre(project, ["cancel", id])).code).toBe(0);
      worker.child.kill("SIGTERM");
      await worker.ended;
      await startReadyWorker(project, "--clone", url);
      await expect.poll(() => refsOf(made.clone), poll).toEqual(["refs/heads/trunk"]);
      await carry(project);
    });

    it("are transferred over HTTPS, and a password in the remote's address never leaves the submitter", async () => {
      const server = await startHttpsServer();
      const made = await createGitFixture();
      const url = server.addressOf(made.clone.remote);
      made.clone.git("remote", "set-url", "origin", url.replace("://", `://${server.user}@`));
      const project = withVariables(made, { GIT_SSL_CAINFO: server.certificate });
      // The worker has its own credentials.
      const own = withVariables(project, { GIT_ASKPASS: server.askpass });
      await startReadyWorker(own, "--clone", url);
      const id = await carry(project);
      const { stdout } = await cadre(project, ["events", id, "--json"]);
      expect(stdout).toContain(url);
      expect(stdout).not.toContain(server.user);
    });

    it("are not pushed to an unknown server, about which a terminal is not asked", async () => {
      const server = await startSshServer();
      const made = await createGitFixture();
      made.clone.git("remote", "set-url", "origin", server.addressOf(made.clone.remote));
      const project = withVariables(made, { GIT_SSH_COMMAND: server.newcomerCommand });
      const words = ["run", "--detach", "--workspace", "git", "--mode", "auto", "change"];
      const { code, stdout } = await onTerminal(project, words);
      expect(stdout).toContain("SSH does not know this server's key and cannot ask.");
      expect(stdout).not.toContain("continue connecting");
      expect(code).not.toBe(0);
      expect(JSON.parse((await cadre(project, ["runs", "--json"])).stdout)).toEqual({ runs: [] });
    });
  },
);

describe.skipIf(postgresUrl === undefined)("a worker without git", () => {
  it("refuses families that need git and says why, and executes others", async () => {
    const project = await createGitFixture();
    const { clone } = project;
    const programs = temporaryFolder();
    for (const name of ["sh", "bash", "env", "cat", "rm"]) {
      const path = execFileSync("which", [name], { encoding: "utf8" }).trim();
      symlinkSync(path, join(programs, name));
    }
    await startReadyWorker(withVariables(project, { PATH: programs }), "--clone", clone.remote);
    const id = await submitByGit(project, "change");
    await expect
      .poll(async () => (await readPrintedWork(project)).waiting, poll)
      .toMatchObject([
        { rootId: id, reason: expect.stringContaining("git is not installed") as string },
      ]);
    await startReadyWorker(project, "--clone", clone.remote);
    expect(await resultOf(project, id)).toMatchObject({ status: "succeeded" });
  });
});
