import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { measureChildrenCpu } from "../../../../test/fixtures/cpu-time.ts";
import { type ClonedRepository, createClone } from "../../../../test/fixtures/git/git-remote.ts";
import { isLong } from "../../../../test/is-long.ts";
import { temporaryFolder } from "../../../../test/fixtures/tool-call.ts";
import { namesSecret } from "../../path/secret-name.ts";
import { inRepository } from "../worktree-folder.ts";
import { findSecrets, recordTree, type RecordedTree, type TreeLimits } from "./record-tree.ts";

const limits: TreeLimits = { maxFiles: 1000, maxMegabytes: 1 };

async function record(
  { folder: from }: ClonedRepository,
  own: TreeLimits = limits,
): Promise<RecordedTree & { secrets: string[] }> {
  const fixture = { root: join(temporaryFolder(), "x"), from };
  return await inRepository(fixture, async (git, repository, folder) => {
    const message = "Recorded";
    const made = await recordTree(git, repository, { folder, limits: own, message });
    return {
      ...made,
      secrets: await findSecrets(git, made.commit, { root: from, hidden: join(from, "state") }),
    };
  });
}

test("a clean tree is its HEAD", async () => {
  const clone = createClone();
  expect(await record(clone)).toEqual({
    commit: clone.git("rev-parse", "HEAD").trim(),
    notes: [],
    secrets: [],
  });
});

test("staged, changed, deleted and untracked files are recorded, ignored ones are not, and nothing changes", async () => {
  const clone = createClone();
  clone.commit({ "b.txt": "0", "c.txt": "0", "sub/d.txt": "0", ".gitignore": "out\n" });
  clone.write({ "b.txt": "staged" });
  clone.git("add", "b.txt");
  clone.write({ "b.txt": "changed", "c.txt": "changed", "new/e.txt": "new", "out/f": "ignored" });
  rmSync(join(clone.folder, "sub/d.txt"));
  const state = (): string[] => [
    clone.git("status", "--porcelain"),
    clone.git("rev-parse", "HEAD"),
    clone.git("for-each-ref"),
    clone.git("diff", "--cached"),
  ];
  const before = state();
  const { commit } = await record(clone);
  expect(state()).toEqual(before);
  expect(clone.git("rev-parse", `${commit}^`)).toBe(clone.git("rev-parse", "HEAD"));
  expect(clone.git("ls-tree", "-r", "--name-only", commit).split("\n").filter(Boolean)).toEqual([
    ".gitignore",
    "a.txt",
    "b.txt",
    "c.txt",
    "new/e.txt",
  ]);
  expect(clone.git("show", `${commit}:b.txt`)).toBe("changed");
});

test("too many files and too many bytes are refused before anything is stored", async () => {
  const clone = createClone();
  clone.write({ b: "1", c: "2" });
  await expect(record(clone, { ...limits, maxFiles: 1 })).rejects.toThrow(
    `Expected at most 1 files that are not committed (\`worker.maxFiles\`); ${clone.folder} has 2.`,
  );
  clone.write({ b: "x".repeat(1_200_000) });
  await expect(record(clone)).rejects.toThrow(
    `Expected at most 1 MB in files that are not committed (\`worker.maxMegabytes\`); ${clone.folder} has 2 MB.`,
  );
  expect(clone.git("count-objects")).toMatch(/^3 objects/);
});

test("other repositories in the tree are named, not recorded", async () => {
  const clone = createClone();
  createClone(join(clone.folder, "inner", mkdirIn(clone, "inner/one")), temporaryFolder());
  const { notes } = await record(clone);
  expect(notes).toEqual(["Other git repositories are left out: inner/one/."]);
});

test("many files are recorded in seconds", { timeout: 600_000 }, async () => {
  const count = isLong ? 30_000 : 5000;
  const clone = createClone();
  const many = Array.from({ length: count }, (_, at) => [`many/${at % 100}/${at}.txt`, `${at}`]);
  clone.write(Object.fromEntries(many) as Record<string, string>);
  let commit = "";
  const cpuMs = await measureChildrenCpu(async () => {
    ({ commit } = await record(clone, { maxFiles: count, maxMegabytes: 1 }));
  });
  // A file takes about 0.2 ms; a process of git for each file would take at least 2.
  expect(cpuMs).toBeLessThan(count);
  const names = clone.git("ls-tree", "-r", "--name-only", commit).trim().split("\n");
  expect(names).toHaveLength(count + 1);
});

test("secrets are found in untracked files and in commits that no remote has, but not in those that it has", async () => {
  const clone = createClone();
  clone.commit({ ".env": "PUSHED=1" });
  clone.git("push", "--quiet", "origin", "trunk");
  expect((await record(clone)).secrets).toEqual([]);
  clone.commit({ "keys/server.pem": "secret" });
  clone.commit({ "src/credentials/readme.md": "x" });
  rmSync(join(clone.folder, "keys"), { recursive: true });
  clone.write({ "app/.env.local": "TOKEN=1", "state/cadre.db": "runs" });
  expect((await record(clone)).secrets).toEqual([
    "app/.env.local",
    "keys/server.pem",
    "state/cadre.db",
  ]);
});

test("a repository without a commit says what to do", async () => {
  const clone = createClone();
  clone.git("update-ref", "-d", "HEAD");
  await expect(record(clone)).rejects.toThrow("Create the first one with `git commit`");
});

test.each([
  [".env", true],
  [".env.production", true],
  [".env.example", false],
  [".env.local.example", false],
  [".environment", false],
  ["deploy/ID_RSA", true],
  ["id_rsa.pub", false],
  ["certs/tls.key", true],
  ["src/keyboard.ts", false],
  ["home/.aws/credentials", true],
  ["src/credentials.ts", false],
  ["service-account-prod.json", true],
  [".cadre/config.yaml", false],
  ["tests.monkey", false],
])("%s may hold a secret: %s", (path, expected) => {
  expect(namesSecret(path)).toBe(expected);
});

function mkdirIn(clone: ClonedRepository, path: string): string {
  clone.write({ [`${path}/file`]: "x" });
  return path.slice(path.lastIndexOf("/") + 1);
}
