import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type ClonedRepository, createClone } from "../../../test/fixtures/git/git-remote.ts";
import { openTestRegistry } from "../../../test/fixtures/registry/test-registry.ts";
import { created, createSpec } from "../../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { FileRecorder } from "../../registry/file-recorder.ts";
import { type RecordedFiles, readRecordedFiles } from "../../registry/recorded-files.ts";
import type { Registry } from "../../registry/registry.ts";
import { isChangedSince } from "../../source/file/is-changed-since.ts";
import { familyRefs } from "../../tool/git/remote/transfer.ts";
import { createRunId } from "../../run/run-id.ts";
import { executeInCheckout } from "./execute-in-checkout.ts";
import { type Checkout, openCheckout, removeLeftCheckouts } from "./open-checkout.ts";

interface Family {
  clone: ClonedRepository;
  registry: Registry;
  files: RecordedFiles;
  /** Opens a checkout as another worker, on another machine. */
  open(attempt: number, stateFolder?: string): Promise<Checkout>;
  /** Writes a file in a checkout, records it, and records the commit as a step's in the journal. */
  step(checkout: Checkout, name: string, recorder?: FileRecorder): Promise<string>;
}

async function createFamily(): Promise<Family> {
  const clone = createClone();
  const rootId = createRunId(Date.now());
  const commit = clone.git("rev-parse", "HEAD").trim();
  const { base } = familyRefs(rootId);
  clone.git("push", "--quiet", "origin", `HEAD:${base}`);
  const registry = openTestRegistry({ path: join(temporaryFolder(), "runs.db") });
  onTestFinished(async () => await registry.close());
  registry.append(rootId, created(rootId, { workspace: clone.folder }));
  const { remote, folder } = clone;
  registry.append(rootId, { type: "files-recorded", remote, commit, folder });
  registry.append(rootId, { type: "run-started", owner: registry.ownerId });
  await registry.flushed();
  const files = await readRecordedFiles(registry, rootId);
  if (files === undefined) throw new Error("Expected recorded files.");
  return {
    clone,
    registry,
    files,
    async open(attempt, stateFolder = realpathSync(temporaryFolder())) {
      const fixture = { stateFolder, workerId: `host/1/${attempt}`, clones: [clone.remote] };
      return await openCheckout(fixture, { files, attempt, registry });
    },
    async step(checkout, name, recorder = checkout.createRecorder(registry)) {
      writeFileSync(join(checkout.root, name), name);
      const commits = await recorder.record({ runId: rootId, step: name });
      const step = { key: name, kind: "tool", value: null, durationMs: 0 } as const;
      registry.append(rootId, { type: "step-finished", ...step, files: commits });
      await registry.flushed();
      return commits;
    },
  };
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name !== ".git")
    .toSorted();

test("a checkout has the recorded files and its own repository", async () => {
  const { clone, open, files } = await createFamily();
  const { root } = await open(1);
  expect(filesOf(root)).toEqual(["a.txt"]);
  const git = (...words: string[]): string => clone.git("-C", root, ...words);
  expect(git("status", "--porcelain")).toBe("");
  expect(git("rev-parse", "HEAD").trim()).toBe(files.commit);
  expect(git("branch", "--show-current").trim()).toBe(`cadre/${files.rootId}`);
});

test("another worker gets the files of the last recorded step, without those of an unrecorded one", async () => {
  const { registry, open, step } = await createFamily();
  const first = await open(1);
  await first.claim(registry);
  await step(first, "one");
  await step(first, "two");
  writeFileSync(join(first.root, "three"), "");
  await first.createRecorder(registry).record({ runId: "x", step: "three" });
  const second = await open(2);
  await second.claim(registry);
  expect(filesOf(second.root)).toEqual(["a.txt", "one", "two"]);
  await step(second, "four");
  const third = await open(3);
  expect(filesOf(third.root)).toEqual(["a.txt", "four", "one", "two"]);
});

test("files that the family changed are newer than those that were submitted, even after a takeover", async () => {
  const { registry, open, step } = await createFamily();
  const first = await open(1);
  await first.claim(registry);
  await step(first, "one");
  const second = await open(2);
  await second.claim(registry);
  const { root, definitionsAsOf } = second;
  const isChanged = (name: string): boolean =>
    isChangedSince(join(root, name), definitionsAsOf, { root, cwd: root });
  expect(isChanged("a.txt")).toBe(false);
  expect(isChanged("one")).toBe(true);
});

test("a worker that lost the family can no longer record files", async () => {
  const { clone, registry, files, open, step } = await createFamily();
  const first = await open(1);
  await first.claim(registry);
  await step(first, "one");
  const second = await open(2);
  await second.claim(registry);
  const failures: unknown[] = [];
  const lost = first.createRecorder({ fail: (error) => failures.push(error) });
  await expect(step(first, "late", lost)).rejects.toThrow(
    /to name \w+; it names \w+, because another worker or program changed it/,
  );
  expect(failures).toHaveLength(1);
  await step(second, "two");
  const { work } = familyRefs(files.rootId);
  const names = clone.atRemote("ls-tree", "--name-only", work).trim().split("\n");
  expect(names).toEqual(["a.txt", "one", "two"]);
});

test("files that changed between the checkout and the claim are brought up to date", async () => {
  const { registry, open, step } = await createFamily();
  const first = await open(1);
  await first.claim(registry);
  await step(first, "one");
  const second = await open(2);
  rmSync(join(first.root, "one"));
  await step(first, "two");
  await second.claim(registry);
  expect(filesOf(second.root)).toEqual(["a.txt", "two"]);
  expect(readFileSync(join(second.root, "two"), "utf8")).toBe("two");
});

test("a step that changes nothing pushes nothing, and steps at the same moment share a commit", async () => {
  const { clone, registry, files, open, step } = await createFamily();
  const checkout = await open(1);
  await checkout.claim(registry);
  const recorder = checkout.createRecorder(registry);
  const first = await step(checkout, "one", recorder);
  expect(await recorder.record({ runId: "x", step: "y" })).toBe(first);
  const names = ["a", "b", "c", "d"];
  for (const name of names) writeFileSync(join(checkout.root, name), name);
  const all = names.map((name) => recorder.record({ runId: "x", step: name }));
  expect(new Set(await Promise.all(all)).size).toBe(1);
  const { work } = familyRefs(files.rootId);
  expect(clone.atRemote("rev-list", "--count", work).trim()).toBe("4");
});

test.each([
  ["deleted", (work: string) => ["update-ref", "-d", work], "it does not exist"],
  ["moved back", (work: string) => ["update-ref", work, `${work}~1`], "it names"],
])("a work ref that another program %s is an error", async (_, words, message) => {
  const { clone, files, registry, open, step } = await createFamily();
  const first = await open(1);
  await first.claim(registry);
  await step(first, "one");
  clone.atRemote(...words(familyRefs(files.rootId).work));
  await expect(open(2)).rejects.toThrow(message);
  await expect(open(2)).rejects.toThrow("another program changed it. Restore the ref");
});

test("a base ref that another program moved is an error", async () => {
  const { clone, files, open } = await createFamily();
  clone.commit({ "a.txt": "1" });
  clone.git("push", "--quiet", "--force", "origin", `HEAD:${familyRefs(files.rootId).base}`);
  await expect(open(1)).rejects.toThrow("to name the files of the family");
});

test("the changes become one commit on a branch, which a repetition leaves as it is", async () => {
  const { clone, files, registry, open, step } = await createFamily();
  const { rootId } = files;
  const checkout = await open(1);
  await checkout.claim(registry);
  const spec = createSpec(rootId, { task: "add files" });
  expect(await checkout.createRecorder(registry).finish(spec)).toBeUndefined();
  await step(checkout, "one");
  await step(checkout, "two");
  const where = await checkout.createRecorder(registry).finish(spec);
  expect(where).toContain(`on the branch cadre/${rootId} of ${clone.remote}`);
  const tip = clone.atRemote("rev-parse", `cadre/${rootId}`);
  await checkout.createRecorder(registry).finish(spec);
  expect(clone.atRemote("rev-parse", `cadre/${rootId}`)).toBe(tip);
  expect(clone.atRemote("log", "--format=%s", `trunk..cadre/${rootId}`)).toBe("add files\n");
  await checkout.deleteRefs();
  expect(clone.atRemote("for-each-ref", "refs/cadre")).toBe("");
});

test("repositories that agents create are named, because they are not recorded", async () => {
  const { clone, files, registry, open } = await createFamily();
  const checkout = await open(1);
  await checkout.claim(registry);
  clone.git("init", "--quiet", join(checkout.root, "inner"));
  writeFileSync(join(checkout.root, "inner/file"), "");
  const end = await checkout.createRecorder(registry).finish(createSpec(files.rootId));
  expect(end).toBe("Not recorded, because they are separate git repositories: inner/.");
});

test("a worker waits for a remote that is briefly unreachable", async () => {
  const { clone, registry, open, step } = await createFamily();
  const checkout = await open(1);
  await checkout.claim(registry);
  renameSync(clone.remote, `${clone.remote}.away`);
  const recording = step(checkout, "one");
  // The first try fails at once, and the second one comes after half a second.
  setTimeout(() => renameSync(`${clone.remote}.away`, clone.remote), 200);
  const commit = await recording;
  expect(clone.atRemote("cat-file", "-t", commit)).toBe("commit\n");
});

test.each([
  ["a link to another folder", "link"],
  ["a folder that is not in the commit", "missing"],
  ["a folder outside the repository", "../other"],
])("%s is not a folder to work in", async (_, path) => {
  const { clone, files, registry } = await createFamily();
  symlinkSync("/", join(clone.folder, "link"));
  clone.commit({});
  const commit = clone.git("rev-parse", "HEAD").trim();
  clone.git("push", "--quiet", "--force", "origin", `HEAD:${familyRefs(files.rootId).base}`);
  const stateFolder = realpathSync(temporaryFolder());
  const fixture = {
    stateFolder,
    workerId: "w",
    clones: [clone.remote],
    source: { openRegistry: () => registry },
    shell: { home: stateFolder, environment: {} },
  };
  const refused = executeInCheckout(fixture, {
    files: { ...files, commit },
    attempt: 1,
    setting: { cwd: join(clone.folder, path) },
    registry,
    withCadre: async () => await Promise.reject(new Error("It was executed.")),
    execute: async () => await Promise.resolve(),
  });
  await expect(refused).rejects.toThrow("to be one of the repository");
});

test("a branch of another program is not overwritten", async () => {
  const { clone, files, registry, open, step } = await createFamily();
  const checkout = await open(1);
  await checkout.claim(registry);
  await step(checkout, "one");
  const spec = createSpec(files.rootId);
  await checkout.createRecorder(registry).finish(spec);
  await step(checkout, "two");
  const { result } = familyRefs(files.rootId);
  clone.commit({ "a.txt": "theirs" });
  clone.git("push", "--quiet", "--force", "origin", `HEAD:${result}`);
  const fails = checkout.createRecorder({ fail: () => undefined }).finish(spec);
  await expect(fails).rejects.toThrow("which another program created. Rename or delete it");
  expect(clone.atRemote("show", `${result}:a.txt`)).toBe("theirs");
});

test("a repository that the worker may not clone is refused", async () => {
  const { clone, files, registry } = await createFamily();
  const open = async (clones: string[]): Promise<Checkout> =>
    await openCheckout(
      { stateFolder: realpathSync(temporaryFolder()), workerId: "w", clones },
      { files, attempt: 1, registry },
    );
  const name = clone.remote.slice(0, -1);
  const refusal = `Start the worker with --clone ${clone.remote}`;
  for (const clones of [[], [name], [`${clone.remote}/more`]]) {
    await expect(open(clones)).rejects.toThrow(refusal);
  }
  await open([join(clone.remote, "..")]);
});

test("checkouts of workers that are gone are deleted, others stay", async () => {
  const { open } = await createFamily();
  const stateFolder = realpathSync(temporaryFolder());
  const left = await open(1, stateFolder);
  const alive = await open(2, stateFolder);
  await removeLeftCheckouts({ stateFolder }, ["host/1/2"]);
  expect(existsSync(left.root)).toBe(false);
  expect(filesOf(alive.root)).toEqual(["a.txt"]);
  const [mirror = ""] = readdirSync(join(stateFolder, "mirrors"));
  const worktrees = join(stateFolder, "mirrors", mirror, ".git/worktrees");
  expect(readdirSync(worktrees)).toHaveLength(1);
  await alive.remove();
  expect(existsSync(alive.root)).toBe(false);
});
