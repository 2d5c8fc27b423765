import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { hasServers, startHttpsServer, startSshServer } from "../../fixtures/git/git-servers.ts";
import { type ClonedRepository, createClone } from "../../fixtures/git/git-remote.ts";
import { temporaryFolder } from "../../fixtures/tool-call.ts";
import { isLasting } from "../../../src/tool/git/git-failure.ts";
import { inRepository } from "../../../src/tool/git/worktree-folder.ts";
import {
  familyRefs,
  fetchRefs,
  listRefs,
  pushRefs,
} from "../../../src/tool/git/remote/transfer.ts";

const { work } = familyRefs("r-1");

/** Sets variables of this process for one test, as if they were a worker's. */
function setVariables(variables: Readonly<Record<string, string>>): void {
  onTestFinished(() => void vi.unstubAllEnvs());
  // The machine's own configuration of git must not matter.
  vi.stubEnv("HOME", temporaryFolder());
  vi.stubEnv("XDG_CONFIG_HOME", temporaryFolder());
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}

/** Pushes a ref to the address and fetches it from there. */
async function carry(clone: ClonedRepository, url: string): Promise<void> {
  const place = (from: string) => ({ root: join(temporaryFolder(), "x"), from });
  const commit = clone.git("rev-parse", "HEAD").trim();
  await inRepository(place(clone.folder), async (git) => {
    expect(await pushRefs(git, url, [{ ref: work, from: null, to: commit }])).toBe(true);
    expect(await listRefs(git, url, [work])).toEqual(new Map([[work, commit]]));
  });
  const other = createClone();
  await inRepository(place(other.folder), async (git) => await fetchRefs(git, url, [work]));
  expect(other.git("rev-parse", work).trim()).toBe(commit);
}

async function failureOf(clone: ClonedRepository, url: string): Promise<string> {
  const fixture = { root: join(temporaryFolder(), "x"), from: clone.folder };
  const commit = clone.git("rev-parse", "HEAD").trim();
  const error: unknown = await inRepository(fixture, async (git) => {
    return await pushRefs(git, url, [{ ref: work, from: null, to: commit }]);
  }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "tool-unavailable" });
  expect(isLasting(error)).toBe(true);
  return String(error);
}

describe.skipIf(!hasServers)("a remote over SSH", () => {
  test("takes and gives refs with the key of this process", async () => {
    const server = await startSshServer();
    setVariables({ GIT_SSH_COMMAND: server.command });
    const clone = createClone();
    await carry(clone, server.addressOf(clone.remote));
  });

  test("that refuses the key, or is not known, says what to do and asks nothing", async () => {
    const server = await startSshServer();
    const clone = createClone();
    const url = server.addressOf(clone.remote);
    setVariables({ GIT_SSH_COMMAND: server.strangerCommand });
    expect(await failureOf(clone, url)).toMatch(
      /Permission denied \(.*refuses the SSH keys of this process\. Provide a key/s,
    );
    setVariables({ GIT_SSH_COMMAND: server.newcomerCommand });
    expect(await failureOf(clone, url)).toMatch(
      /Host key verification failed.*add the server's key to ~\/\.ssh\/known_hosts/s,
    );
  });
});

describe.skipIf(!hasServers)("a remote over HTTPS", () => {
  test("takes and gives refs with the credentials and the certificate of this process", async () => {
    const server = await startHttpsServer();
    setVariables({ GIT_ASKPASS: server.askpass, GIT_SSL_CAINFO: server.certificate });
    const clone = createClone();
    await carry(clone, server.addressOf(clone.remote));
  });

  test("without credentials, with wrong ones or an unknown certificate says what to do", async () => {
    const server = await startHttpsServer();
    const clone = createClone();
    const url = server.addressOf(clone.remote);
    setVariables({ GIT_ASKPASS: server.askpass });
    expect(await failureOf(clone, url)).toMatch(/Name the issuer's certificate in GIT_SSL_CAINFO/s);
    setVariables({ GIT_SSL_CAINFO: server.certificate, GIT_ASKPASS: "" });
    expect(await failureOf(clone, url)).toMatch(/terminal prompts disabled.*credential helper/s);
    setVariables({ GIT_SSL_CAINFO: server.certificate, GIT_ASKPASS: server.wrongAskpass });
    const refusal = await failureOf(clone, url);
    expect(refusal).toMatch(/Authentication failed.*credential helper/s);
    expect(refusal).not.toContain("another-one");
  });
});

test("without git, it says so", async () => {
  const clone = createClone();
  setVariables({ PATH: temporaryFolder() });
  const fixture = { root: join(temporaryFolder(), "x"), from: clone.folder };
  await expect(inRepository(fixture, async (git) => await listRefs(git, "/x", []))).rejects.toThrow(
    /git is not installed, or not on the PATH\. Install it/,
  );
});
