import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { InstructionFiles } from "./instruction-file.ts";
import { readInstructionFiles } from "./read-instruction-files.ts";

/** Reads the instruction files of `cwd` in a repository with `files`; paths are relative to a folder with `home` and `repo`. */
async function read(
  files: Record<string, string>,
  { cwd = "repo", links = {} }: { cwd?: string; links?: Record<string, string> } = {},
) {
  const root = temporaryFolder();
  mkdirSync(join(root, "repo/.git"), { recursive: true });
  mkdirSync(join(root, "home"), { recursive: true });
  mkdirSync(join(root, cwd), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));
  const found = await readInstructionFiles({
    workspace: join(root, cwd),
    home: join(root, "home"),
  });
  const short = (text: string): string => text.replaceAll(`${root}/`, "");
  return {
    ...describe(found, short),
    problems: found.problems.map(short),
    root,
    texts: found.files.map(({ text }) => text),
  };
}

function describe({ files }: InstructionFiles, short: (text: string) => string) {
  return {
    paths: files.map(({ path }) => short(path)),
    importers: files.map(({ importedBy = "" }) => short(importedBy)),
  };
}

test("the user's file comes first, then those from the root of the repository to the folder", async () => {
  const files = {
    "home/.cadre/AGENTS.md": "mine",
    "AGENTS.md": "above the repository",
    "repo/AGENTS.md": "root",
    "repo/a/b/AGENTS.md": "near",
    "repo/a/b/c/AGENTS.md": "below",
    "repo/other/AGENTS.md": "beside",
  };
  const { paths, texts, problems } = await read(files, { cwd: "repo/a/b" });
  expect(paths).toEqual(["home/.cadre/AGENTS.md", "repo/AGENTS.md", "repo/a/b/AGENTS.md"]);
  expect(texts).toEqual(["mine", "root", "near"]);
  expect(problems).toEqual([]);
});

test("CLAUDE.md is used in a folder without AGENTS.md", async () => {
  const files = {
    "repo/AGENTS.md": "root",
    "repo/CLAUDE.md": "@AGENTS.md for Claude",
    "repo/a/CLAUDE.md": "@../AGENTS.md of a",
    "repo/a/AGENTS.md": " \n",
    "repo/a/b/.claude/CLAUDE.md": "of b",
  };
  const { paths, problems } = await read(files, { cwd: "repo/a/b" });
  expect(paths).toEqual(["repo/AGENTS.md", "repo/a/CLAUDE.md", "repo/a/b/.claude/CLAUDE.md"]);
  expect(problems).toEqual([]);
});

test("imports follow their file, relative to it, each file once", async () => {
  const files = {
    "repo/AGENTS.md": "@docs/style.md @docs/style.md @types/node",
    "repo/docs/style.md": "@more.md and @../AGENTS.md",
    "repo/docs/more.md": "@style.md @gone.md",
  };
  const { paths, importers, problems } = await read(files);
  expect(paths).toEqual(["repo/AGENTS.md", "repo/docs/style.md", "repo/docs/more.md"]);
  expect(importers).toEqual(["", "repo/AGENTS.md", "repo/docs/style.md"]);
  expect(problems).toEqual([
    "The import @gone.md of repo/docs/more.md was left out: there is no file.",
  ]);
});

test("imports are at most five deep", async () => {
  const chain = Object.fromEntries(
    [0, 1, 2, 3, 4, 5, 6].map((number) => [`repo/${number}.md`, `@${number + 1}.md`]),
  );
  const { paths, problems } = await read({ "repo/AGENTS.md": "@1.md", ...chain });
  expect(paths.at(-1)).toBe("repo/5.md");
  expect(problems).toEqual([
    "The import @6.md of repo/5.md was left out: imports may be nested 5 deep.",
  ]);
});

test("a project's file imports nothing from outside the project, and nothing above the workspace", async () => {
  const outside = { "secret.md": "secret", "home/notes.md": "notes" };
  const imports = "@../secret.md @~/notes.md @link.md";
  const files = {
    ...outside,
    "repo/AGENTS.md": `${imports} @docs/a.md`,
    "repo/docs/a.md": "above the workspace",
    "repo/sub/AGENTS.md": "@../docs/a.md @../docs/b.md",
    "repo/docs/b.md": "b",
  };
  const { paths, problems } = await read(files, {
    cwd: "repo/sub",
    links: { "repo/link.md": "../secret.md" },
  });
  expect(paths).toEqual(["repo/AGENTS.md", "repo/docs/a.md", "repo/sub/AGENTS.md"]);
  expect(
    problems.map((problem) => /The instruction file (\S+) was left out/.exec(problem)?.[1]),
  ).toEqual(["repo/docs/a.md", "repo/docs/b.md", "secret.md", "home/notes.md", "repo/link.md"]);
});

test("an instruction file that leads out of the project is left out", async () => {
  const { paths, problems } = await read(
    { "secret.md": "secret", "repo/CLAUDE.md": "fine" },
    { links: { "repo/AGENTS.md": "../secret.md" } },
  );
  expect(paths).toEqual(["repo/CLAUDE.md"]);
  expect(problems).toEqual([expect.stringContaining("is outside the workspace")]);
});

test("the user's file may import from everywhere, even from its own folder", async () => {
  const files = {
    "home/.cadre/AGENTS.md": "@~/.claude/CLAUDE.md @rules.md",
    "home/.claude/CLAUDE.md": "theirs",
    "home/.cadre/rules.md": "rules",
  };
  const { texts, problems } = await read(files);
  expect(texts.slice(1)).toEqual(["theirs", "rules"]);
  expect(problems).toEqual([]);
});

test("a file over 32 KiB is cut at a line, and the sizes are named", async () => {
  const line = `${"x".repeat(99)}\n`;
  const { texts, problems } = await read({ "repo/AGENTS.md": line.repeat(400) });
  expect(Buffer.byteLength(texts[0] ?? "")).toBeLessThanOrEqual(32 * 1024);
  expect(texts[0]).toMatch(/x{99}\n\n\[Cut here: \S+AGENTS\.md has 40000 bytes\. Read it/);
  expect(problems).toEqual([
    expect.stringMatching(
      /^The instruction file repo\/AGENTS\.md \(40000 bytes\) was cut to its first 32\d{3} bytes: the limit for one file is 32768 bytes\./,
    ),
  ]);
});

test("all files together have at most 64 KiB, of which the farthest gets the rest", async () => {
  const text = (mark: string): string => `${mark}\n`.repeat(15_000);
  const files = {
    "home/.cadre/AGENTS.md": text("u"),
    "repo/AGENTS.md": text("r"),
    "repo/a/AGENTS.md": text("n"),
  };
  const { texts, problems } = await read(files, { cwd: "repo/a" });
  expect(texts.map((one) => one.length)).toEqual([29_999, expect.any(Number), 29_999]);
  expect(texts.join("").length).toBeLessThanOrEqual(64 * 1024);
  expect(problems).toEqual([
    expect.stringMatching(
      /repo\/AGENTS\.md \(30000 bytes\) was cut to its first .* all instruction files together/,
    ),
  ]);
});

test("a file that is not text is left out, with the reason", async () => {
  const { paths, problems } = await read({
    "repo/AGENTS.md": "@image.md",
    "repo/image.md": "a\0b",
  });
  expect(paths).toEqual(["repo/AGENTS.md"]);
  expect(problems).toEqual([
    "The instruction file repo/image.md was left out: expected text, got NUL characters.",
  ]);
});

test("thousands of wrong imports cause only a few problems", async () => {
  const text = Array.from({ length: 3000 }, (_, at) => `@${at}.md`).join(" ");
  const { problems } = await read({ "repo/AGENTS.md": text });
  expect(problems).toHaveLength(21);
  expect(problems.at(-1)).toBe("2980 more problems with instruction files.");
});
