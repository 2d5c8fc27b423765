import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ClonedRepository, createClone } from "../../../../test/fixtures/git/git-remote.ts";
import { temporaryFolder } from "../../../../test/fixtures/tool-call.ts";
import type { Git } from "../run-git.ts";
import { inRepository } from "../worktree-folder.ts";
import { readRemote } from "./remote-address.ts";
import { familyRefs, fetchRefs, listRefs, pushRefs } from "./transfer.ts";

async function within<Value>(
  { folder }: ClonedRepository,
  work: (git: Git) => Promise<Value>,
): Promise<Value> {
  const fixture = { root: join(temporaryFolder(), "x"), from: folder };
  return await inRepository(fixture, work);
}

const { work } = familyRefs("r-1");

test("a ref is pushed, fetched elsewhere and deleted", async () => {
  const clone = createClone();
  const commit = clone.git("rev-parse", "HEAD").trim();
  const url = clone.remote;
  const change = { ref: work, from: null, to: commit };
  expect(await within(clone, (git) => pushRefs(git, url, [change]))).toBe(true);
  expect(await within(clone, (git) => listRefs(git, url, ["refs/cadre/*"]))).toEqual(
    new Map([[work, commit]]),
  );
  const other = createClone();
  await within(other, (git) => fetchRefs(git, url, [work]));
  expect(other.git("rev-parse", work).trim()).toBe(commit);
  const deletion = { ref: work, from: commit, to: null };
  expect(await within(clone, (git) => pushRefs(git, url, [deletion]))).toBe(true);
  expect(clone.atRemote("for-each-ref", "refs/cadre")).toBe("");
});

test("a ref that another program moved is not overwritten", async () => {
  const clone = createClone();
  const first = clone.git("rev-parse", "HEAD").trim();
  clone.commit({ "a.txt": "1" });
  const second = clone.git("rev-parse", "HEAD").trim();
  const push = async (from: string | null, to: string): Promise<boolean> =>
    await within(clone, (git) => pushRefs(git, clone.remote, [{ ref: work, from, to }]));
  expect(await push(null, first)).toBe(true);
  clone.atRemote("update-ref", "-d", work);
  expect(await push(first, second)).toBe(false);
  expect(await push(null, second)).toBe(true);
  expect(await push(null, first)).toBe(false);
  expect(await push(first, first)).toBe(false);
  expect(clone.atRemote("rev-parse", work).trim()).toBe(second);
});

test("hooks of the repository are not executed, and a hook of the remote can refuse", async () => {
  const clone = createClone();
  const mark = join(temporaryFolder(), "mark");
  const hook = join(clone.folder, ".git/hooks/pre-push");
  writeFileSync(hook, `#!/bin/sh\ntouch ${mark}\n`);
  chmodSync(hook, 0o755);
  const commit = clone.git("rev-parse", "HEAD").trim();
  const change = { ref: work, from: null, to: commit };
  expect(await within(clone, (git) => pushRefs(git, clone.remote, [change]))).toBe(true);
  expect(existsSync(mark)).toBe(false);
  const refusal = join(clone.remote, "hooks/pre-receive");
  writeFileSync(refusal, "#!/bin/sh\necho no rights >&2\nexit 1\n");
  chmodSync(refusal, 0o755);
  const again = { ref: "refs/cadre/r-2/base", from: null, to: commit };
  await expect(within(clone, (git) => pushRefs(git, clone.remote, [again]))).rejects.toThrow(
    /git push failed.*no rights/s,
  );
});

test("an address of another protocol is refused by git", async () => {
  const clone = createClone();
  const mark = join(temporaryFolder(), "mark");
  const url = `ext::sh -c touch% ${mark}`;
  await expect(within(clone, (git) => listRefs(git, url, []))).rejects.toThrow("not allowed");
  expect(existsSync(mark)).toBe(false);
});

test.each([
  ["https://host/a.git", "https://host/a.git"],
  ["https://ada:secret@host/a.git", "https://host/a.git"],
  ["ssh://git@host:22/a.git", "ssh://git@host:22/a.git"],
  ["ssh://git:secret@host/a.git", "ssh://git@host/a.git"],
  ["git@host:acme/a.git", "git@host:acme/a.git"],
])("%s is stored as %s", async (url, shared) => {
  const clone = createClone();
  clone.git("remote", "set-url", "origin", url);
  expect(await readRemote(clone.folder, "origin")).toEqual({ url, shared });
  expect(await readRemote(clone.folder, url)).toEqual({ url, shared });
});

test("a folder becomes absolute", async () => {
  const clone = createClone();
  clone.git("remote", "set-url", "origin", `file://${clone.remote}`);
  const found = await readRemote(clone.folder, "origin");
  expect(found).toEqual({ url: clone.remote, shared: clone.remote });
});

test.each([
  ["ext::sh -c true", "Expected the address of a git repository"],
  ["-u", "Expected the address of a git repository"],
  ["git@host:-x", "Expected the address of a git repository"],
  ["./inner.git", "Expected a remote outside of"],
])("the remote %s is refused", async (url, message) => {
  const clone = createClone();
  const file = join(clone.folder, ".git/config");
  writeFileSync(file, readFileSync(file, "utf8").replace(/url = .*/, `url = "${url}"`));
  await expect(readRemote(clone.folder, "origin")).rejects.toThrow(message);
});

test("a missing remote, repository or server is named", async () => {
  const clone = createClone();
  await expect(readRemote(clone.folder, "other")).rejects.toThrow(
    "to have the remote `other`, from which workers get its files; it has none",
  );
  await expect(readRemote(temporaryFolder(), "origin")).rejects.toThrow(
    "Expected a git repository",
  );
  const gone = join(temporaryFolder(), "gone.git");
  await expect(within(clone, (git) => listRefs(git, gone, []))).rejects.toThrow(
    /git ls-remote failed.*does not appear to be a git repository/s,
  );
});
