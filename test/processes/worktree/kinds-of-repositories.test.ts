import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isInstalled } from "../../fixtures/process/is-installed.ts";
import { createGitProject, type GitProject } from "../../fixtures/git/git-project.ts";

/** Returns the state of the working tree without the files of Cadre. */
function statusOf({ git }: GitProject): string {
  return git("status", "--porcelain", "--untracked-files=no");
}

function worktreeOf({ cadre }: GitProject, runId: string): string {
  return join(cadre.stateFolder, "worktrees", runId);
}

describe("a sparse checkout", () => {
  test.each([[[]], [["--sparse-index"]], [["--no-cone"]]])(
    "is read, merged and discarded, and stays sparse: %j",
    async (flags) => {
      const fixture = await createGitProject();
      const { cadre, commit, git, project, read, run } = fixture;
      commit({ "in/x.txt": "0", "out/y.txt": "0", "out/z.txt": "0" });
      git("sparse-checkout", "set", ...flags, "in");
      expect(existsSync(join(project.folder, "out"))).toBe(false);
      const { runId } = await run("in/x.txt=1 out/y.txt=2 out/new.txt=3");
      const { files } = await cadre.changes.read(runId);
      const paths = ["in/x.txt", "out/new.txt", "out/y.txt"];
      expect(files.map(({ path }) => path)).toEqual(paths);
      expect((await cadre.changes.merge([runId])).merged).toEqual([runId]);
      expect(paths.map(read)).toEqual(["1\n", "3\n", "2\n"]);
      expect(statusOf(fixture)).toBe("");
      expect(existsSync(join(project.folder, "out/z.txt"))).toBe(false);
      expect(git("show", "HEAD:out/z.txt")).toBe("0\n");
      const { runId: dropped } = await run("out/z.txt=1");
      await cadre.changes.discard(dropped);
      expect(existsSync(worktreeOf(fixture, dropped))).toBe(false);
      expect(statusOf(fixture)).toBe("");
    },
  );
});

describe("a repository with a submodule", () => {
  /** Creates a repository whose folder `lib` is a submodule. */
  async function createOuter(): Promise<GitProject & { advance: () => void }> {
    const inner = await createGitProject();
    const project = await createGitProject();
    const allow = ["-c", "protocol.file.allow=always"];
    project.git(...allow, "submodule", "--quiet", "add", inner.project.folder, "lib");
    project.git("commit", "--quiet", "--message", "a submodule");
    const advance = (): void => {
      inner.commit({ "later.txt": "1" });
      project.git("-C", "lib", ...allow, "pull", "--quiet");
      project.git("commit", "--quiet", "--message", "moved", "lib");
    };
    return { ...project, advance };
  }

  test("merges what a run changed beside the submodule, which stays where the user moved it", async () => {
    const project = await createOuter();
    const { cadre, git, read, run, advance } = project;
    const { runId, warnings } = await run("a.txt=1");
    expect(warnings.join()).not.toContain("Not committed");
    advance();
    const { files } = await cadre.changes.read(runId);
    expect(files.map(({ path }) => path)).toEqual(["a.txt"]);
    expect((await cadre.changes.merge([runId])).merged).toEqual([runId]);
    expect([read("a.txt"), read("lib/later.txt")]).toEqual(["1\n", "1\n"]);
    expect(statusOf(project)).toBe("");
    expect(git("submodule", "status")).toMatch(/^ [0-9a-f]+ lib /);
  });

  test("names what a run wrote into the submodule, and keeps it in the worktree", async () => {
    const project = await createOuter();
    const { cadre, read, run } = project;
    const { runId, warnings } = await run("a.txt=1 lib/own.txt=2");
    expect(warnings.join()).toContain(
      "Not committed, because they are separate git repositories: lib",
    );
    const { merged, left } = await cadre.changes.merge([runId]);
    const folder = worktreeOf(project, runId);
    expect([merged, left]).toEqual([[runId], [{ id: runId, folder, paths: ["lib"] }]]);
    expect([read("a.txt"), read("lib/a.txt")]).toEqual(["1\n", "0\n"]);
    expect(existsSync(join(folder, "lib/own.txt"))).toBe(true);
    expect(statusOf(project)).toBe("");
    const again = await cadre.changes.merge([runId]);
    expect(again).toMatchObject({ merged: [], files: [], left: [{ id: runId }] });
  });

  test("does not claim to merge a run that only wrote into the submodule, whose files stay until they are discarded", async () => {
    const project = await createOuter();
    const { cadre, git, run } = project;
    const { runId, warnings } = await run("lib/own.txt=2");
    const folder = worktreeOf(project, runId);
    expect(warnings.join()).toMatch(/^Its worktree .* was kept\. Not committed, .*: lib\. /);
    const left = { folder, paths: ["lib"] };
    expect(await cadre.changes.read(runId)).toMatchObject({ patch: "", left });
    const head = git("rev-parse", "HEAD");
    for (const strategy of ["merge", "squash", "rebase", "patch"] as const) {
      for (const dryRun of [true, false]) {
        const report = await cadre.changes.merge([runId], { strategy, dryRun });
        expect(report).toMatchObject({ merged: [], files: [], left: [{ id: runId, ...left }] });
      }
    }
    expect(git("rev-parse", "HEAD")).toBe(head);
    const read = (path: string): string => readFileSync(join(folder, path), "utf8");
    expect(read("lib/own.txt")).toBe("2\n");
    expect((await cadre.changes.list()).map(({ id }) => id)).toEqual([runId]);
    expect(await cadre.changes.discard(runId)).toMatchObject([{ id: runId, lost: ["lib"] }]);
    expect([existsSync(folder), await cadre.changes.list()]).toEqual([false, []]);
  });
});

/** A filter that stores capital letters. */
const capitals = {
  name: "capitals",
  attributes: "*.bin filter=capitals -text",
  configure: ({ git }: GitProject) => void git("config", "filter.capitals.clean", "tr a-z A-Z"),
  stored: /^WELL$/m,
};
const lfs = {
  name: "lfs",
  attributes: "*.bin filter=lfs diff=lfs merge=lfs -text",
  configure: ({ git }: GitProject) => void git("lfs", "install", "--local"),
  stored: /^version https:\/\/git-lfs/,
};
const hasLfs = isInstalled("git", ["lfs", "version"]);

describe.each(hasLfs ? [capitals, lfs] : [capitals])(
  "a repository with the filter $name",
  ({ name, attributes, configure, stored }) => {
    async function createFiltered(): Promise<GitProject> {
      const project = await createGitProject();
      configure(project);
      project.commit({ ".gitattributes": attributes });
      project.commit({ "big.bin": "big", "old.bin": "old", "d/with space.bin": "spaced" });
      return project;
    }

    test("merges the other files, and deletions, and leaves the filtered ones as they are", async () => {
      const fixture = await createGitProject(({ turn }) => {
        const command = "echo 1 > a.txt; rm old.bin";
        return turn === 0 ? [{ tool: "Bash", input: { command } }] : "done";
      });
      configure(fixture);
      fixture.commit({ ".gitattributes": attributes });
      fixture.commit({ "big.bin": "big", "old.bin": "old" });
      const { cadre, git, project, read } = fixture;
      // Git trusts the time of a file that is older than the index.
      utimesSync(join(project.folder, "old.bin"), 1, 1);
      git("update-index", "--refresh");
      const { runId, warnings } = await cadre.run({ agent: "editor", task: "x" });
      expect(warnings.join()).toContain(`big.bin`);
      expect(warnings.join()).toContain(`did not go through the git filter "${name}"`);
      expect((await cadre.changes.merge([runId])).files).toEqual(["a.txt", "old.bin"]);
      expect([read("a.txt"), read("big.bin")]).toEqual(["1\n", "big\n"]);
      expect(statusOf(fixture)).toBe("");
    });

    test("is told the command that merges a filtered file, which stores it through the filter", async () => {
      const fixture = await createFiltered();
      const { cadre, git, project, read, run } = fixture;
      const { runId } = await run("a.txt=2 big.bin=well d/new.bin=well");
      const head = git("rev-parse", "HEAD");
      const refused = await cadre.changes.merge([runId]).catch((error: unknown) => String(error));
      expect([git("rev-parse", "HEAD"), statusOf(fixture), read("a.txt")]).toEqual([
        head,
        "",
        "0\n",
      ]);
      const command = /Merge with: (.*)$/.exec(refused as string)?.[1] ?? refused;
      const options = { cwd: project.folder, encoding: "utf8", stdio: "pipe" } as const;
      execFileSync("sh", ["-c", `${command as string} --message merged`], options);
      expect([read("a.txt"), read("big.bin"), statusOf(fixture)]).toEqual(["2\n", "well\n", ""]);
      for (const path of ["big.bin", "d/new.bin"]) {
        expect(git("show", `HEAD:${path}`)).toMatch(stored);
      }
      if (name === "lfs") expect(git("lfs", "fsck")).toContain("OK");
      await cadre.changes.discard(runId);
      expect(existsSync(worktreeOf(fixture, runId))).toBe(false);
    });
  },
);
