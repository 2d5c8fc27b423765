import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasServers, startHttpsServer, startSshServer } from "../fixtures/git-servers.ts";
import {
  createGitPlace,
  ended,
  type GitPlace,
  poll,
  refsOf,
  resultOf,
  submitByGit,
} from "../fixtures/postgres/git-place.ts";
import { postgresUrl } from "../fixtures/postgres/test-schema.ts";
import { listWork, startReadyWorker } from "../fixtures/postgres/worker-place.ts";
import { temporaryFolder } from "../fixtures/tool-call.ts";
import { cadre, type Project } from "./command-line.ts";
import { onTerminal } from "./on-terminal.ts";

/** The same place with other variables. */
function withVariables<Place extends Project>(
  place: Place,
  variables: Readonly<Record<string, string>>,
): Place {
  return { ...place, environment: { ...place.environment, ...variables } };
}

/** Submits a run that changes files, and brings its changes home. */
async function carry(place: GitPlace): Promise<string> {
  const { clone } = place;
  place.write("dirty.txt", "dirty\n");
  const id = await submitByGit(place, "change");
  expect(await resultOf(place, id)).toMatchObject({ status: "succeeded" });
  await ended(place);
  clone.git("checkout", "--quiet", "--", ".");
  clone.git("clean", "--quiet", "--force");
  const { code, stderr } = await cadre(place, ["merge", id]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(clone.git("show", "HEAD:c.txt")).toBe("0\ndirty\n");
  expect(refsOf(clone)).toEqual(["refs/heads/trunk"]);
  return id;
}

describe.skipIf(postgresUrl === undefined || !hasServers)(
  "files of workers by other machines' servers",
  { timeout: 300_000 },
  () => {
    it("come over SSH, with the key of each process, and a worker without one says so", async () => {
      const server = await startSshServer();
      const made = await createGitPlace();
      const url = server.addressOf(made.clone.remote);
      made.clone.git("remote", "set-url", "origin", url);
      const place = withVariables(made, { GIT_SSH_COMMAND: server.command });
      const stranger = withVariables(made, { GIT_SSH_COMMAND: server.strangerCommand });
      const worker = await startReadyWorker(stranger, "--clone", url);
      const id = await submitByGit(place, "change");
      await worker.said("refuses the SSH keys of this process");
      await expect
        .poll(async () => (await listWork(place)).waiting, poll)
        .toMatchObject([{ rootId: id, reason: expect.stringContaining("SSH keys") as string }]);
      expect((await cadre(place, ["cancel", id])).code).toBe(0);
      worker.child.kill("SIGTERM");
      await worker.ended;
      await startReadyWorker(place, "--clone", url);
      await expect.poll(() => refsOf(made.clone), poll).toEqual(["refs/heads/trunk"]);
      await carry(place);
    });

    it("come over HTTPS, where a password in the address of the remote stays at home", async () => {
      const server = await startHttpsServer();
      const made = await createGitPlace();
      const url = server.addressOf(made.clone.remote);
      made.clone.git("remote", "set-url", "origin", url.replace("://", `://${server.user}@`));
      const place = withVariables(made, { GIT_SSL_CAINFO: server.certificate });
      // The worker has credentials of its own.
      const own = withVariables(place, { GIT_ASKPASS: server.askpass });
      await startReadyWorker(own, "--clone", url);
      const id = await carry(place);
      const { stdout } = await cadre(place, ["events", id, "--json"]);
      expect(stdout).toContain(url);
      expect(stdout).not.toContain(server.user);
    });

    it("are not pushed to an unknown server, about which a terminal is not asked", async () => {
      const server = await startSshServer();
      const made = await createGitPlace();
      made.clone.git("remote", "set-url", "origin", server.addressOf(made.clone.remote));
      const place = withVariables(made, { GIT_SSH_COMMAND: server.newcomerCommand });
      const words = ["run", "--detach", "--workspace", "git", "--mode", "auto", "change"];
      const { code, stdout } = await onTerminal(place, words);
      expect(stdout).toContain("SSH does not know the key of this server, and cannot ask.");
      expect(stdout).not.toContain("continue connecting");
      expect(code).not.toBe(0);
      expect(JSON.parse((await cadre(place, ["runs", "--json"])).stdout)).toEqual({ runs: [] });
    });
  },
);

describe.skipIf(postgresUrl === undefined)("a worker without git", () => {
  it("refuses families with files by git and says why, and executes others", async () => {
    const place = await createGitPlace();
    const { clone } = place;
    const programs = temporaryFolder();
    for (const name of ["sh", "bash", "env", "cat", "rm"]) {
      const path = execFileSync("which", [name], { encoding: "utf8" }).trim();
      symlinkSync(path, join(programs, name));
    }
    await startReadyWorker(withVariables(place, { PATH: programs }), "--clone", clone.remote);
    const id = await submitByGit(place, "change");
    await expect
      .poll(async () => (await listWork(place)).waiting, poll)
      .toMatchObject([
        { rootId: id, reason: expect.stringContaining("git is not installed") as string },
      ]);
    await startReadyWorker(place, "--clone", clone.remote);
    expect(await resultOf(place, id)).toMatchObject({ status: "succeeded" });
  });
});
