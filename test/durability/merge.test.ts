import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cadre, createProject, type Project } from "../cli/command-line.ts";
import { start } from "../cli/start-command.ts";

const script = `scripts:
  - when: { agent: editor, turn: 0, task: { matches: "(?<file>\\\\S+)" } }
    reply: { calls: [{ tool: Write, input: { file_path: "{{file}}", content: "new\\n" } }] }
  - reply: { text: done }
`;
const editor =
  "---\nname: editor\ndescription: d\nisolation: worktree\ntools: Write\n---\nYou are editor.\n";

/** A repository, and a \`git\` that kills the command calling it before its call number \`killedAt\`. */
interface KillingProject {
  project: Project;
  git: (...words: string[]) => string;
  killAt(call: number): void;
}

function createKillingProject(): KillingProject {
  const project = createProject({
    "script.yaml": script,
    ".cadre/agents/editor.md": editor,
    ".gitignore": "state\nbin\n.cadre\nscript.yaml\ncalls\n",
  });
  rmSync(join(project.path, ".git"), { recursive: true });
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const git = (...words: string[]): string =>
    execFileSync(real, ["-c", "user.name=A", "-c", "user.email=a@example.org", ...words], {
      cwd: project.path,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  git("init", "--quiet");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.org");
  git("add", ".gitignore");
  git("commit", "--quiet", "--message", "first");
  const calls = join(project.path, "calls");
  const wrapper = project.write(
    "bin/git",
    `#!/bin/sh
left=$(cat ${calls})
if [ "$left" = 1 ]; then echo 0 > ${calls}; kill -9 $PPID; exit 1; fi
echo $((left - 1)) > ${calls}
exec ${real} "$@"
`,
  );
  chmodSync(wrapper, 0o755);
  return { project, git, killAt: (call) => writeFileSync(calls, `${call}\n`) };
}

describe(
  "a merge killed with SIGKILL before each of its git commands",
  { timeout: 300_000 },
  () => {
    test("loses nothing, and is completed by the same command, once", async () => {
      const { project, git, killAt } = createKillingProject();
      for (const file of ["one.txt", "two.txt"]) {
        const { code } = await cadre(project, ["run", "editor", file, "--mode", "auto"]);
        expect(code).toBe(0);
      }
      const { stdout } = await cadre(project, ["runs", "--json"]);
      const ids = (JSON.parse(stdout) as { runs: { id: string }[] }).runs.map(({ id }) => id);
      const before = git("rev-parse", "HEAD");
      const environment = { ...project.environment };
      environment["PATH"] = `${join(project.path, "bin")}:${environment["PATH"]}`;
      const content = (id: string, file: string): string => {
        const places = ["HEAD", `cadre/${id}`].map((ref) => `${ref}:${file}`);
        return places.map((at) => tryGit(git, at)).join("");
      };
      let kills = 0;
      for (let call = 1; ; call += 1) {
        killAt(call);
        const ended = await start({ ...project, environment }, ["merge", ...ids]).ended;
        // A repeated merge whose worktrees are gone has nothing to do.
        if (ended.code !== null) {
          expect(ended.code === 0 || /merged already/.test(ended.stderr)).toBe(true);
          break;
        }
        kills += 1;
        // Whatever was done before the kill, the changes are on a branch or in HEAD.
        expect(content(ids[1] ?? "", "one.txt")).toContain("new");
        expect(content(ids[0] ?? "", "two.txt")).toContain("new");
      }
      expect(kills).toBeGreaterThan(10);
      for (const file of ["one.txt", "two.txt"]) {
        expect(readFileSync(join(project.path, file), "utf8")).toBe("new\n");
      }
      expect(git("status", "--porcelain")).toBe("");
      expect(
        git("log", "--merges", "--format=%s", `${before.trim()}..HEAD`).trim().split("\n"),
      ).toHaveLength(2);
      expect(git("branch", "--list", "cadre/*")).toBe("");
      expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
      expect(existsSync(join(project.path, ".git/index.lock"))).toBe(false);
      git("fsck", "--no-dangling");
    });
  },
);

function tryGit(git: (...words: string[]) => string, object: string): string {
  try {
    return git("cat-file", "-p", object);
  } catch {
    return "";
  }
}
