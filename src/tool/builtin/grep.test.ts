import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  createToolFixture,
  temporaryFolder,
  type ToolFixture,
} from "../../../test/fixtures/tool-call.ts";
import { createGrepTool } from "./grep.ts";
import { searchByRegex } from "../search/regex-search.ts";
import { searchByRipgrep } from "../search/ripgrep.ts";

const withRegex = createGrepTool({ search: searchByRegex });
const withRipgrep = createGrepTool({ search: searchByRipgrep });

const hasRipgrep = ((): boolean => {
  try {
    execFileSync("rg", ["--version"]);
    return true;
  } catch {
    return false;
  }
})();

const files: Record<string, string | Buffer> = {
  "a.ts": "export function one() {}\nconst x = 1;\nexport function two() {}\n",
  "b.js": "Function\nFUNCTION\n",
  "src/c.ts": "function three() {\n  return 'café';\n}\n",
  "src/d-e.ts": "a-b\n\nfunction\r\nend\r\n",
  "src/deep/f.md": "naïve ١٢٣ text\n#hash\nno newline function",
  "-dash.ts": "function dash\n",
  "with space/ü.ts": "function umlaut\n",
  "binary.bin": Buffer.from("function\0function\n"),
  "latin.txt": Buffer.from([
    0x66, 0x75, 0x6e, 0x63, 0x74, 0x69, 0x6f, 0x6e, 0xe9, 0x0a, 0xe9, 0x0a,
  ]),
  "late.txt": `function\n${"x".repeat(9000)}\0 function\n`,
  "bom.txt": "\uFEFFfunction first\nfunction second\n",
  "empty.txt": "",
  "long.txt": `${"y".repeat(700)}function\n`,
  ".hidden.ts": "function hidden\n",
  "node_modules/m/i.js": "function module\n",
  "ignored.log": "function log\n",
  "src/kept.log": "function kept\n",
  "build/out.ts": "function built\n",
  ".gitignore": "*.log\nbuild/\n",
  "src/.gitignore": "!kept.log\n",
};

function createFixture(): ToolFixture {
  const fixture = createToolFixture();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(fixture.workspace, name)), { recursive: true });
    writeFileSync(join(fixture.workspace, name), content);
  }
  const outside = temporaryFolder();
  writeFileSync(join(outside, "x.ts"), "function outside\n");
  symlinkSync(outside, join(fixture.workspace, "link"));
  symlinkSync(join(outside, "x.ts"), join(fixture.workspace, "link.ts"));
  execFileSync("mkfifo", [join(fixture.workspace, "pipe.ts")]);
  return fixture;
}

const content = { output_mode: "content" };
const calls: object[] = [
  { pattern: "function" },
  { pattern: "function", ...content },
  { pattern: "function", output_mode: "count" },
  { pattern: "FUNCTION", "-i": true, ...content },
  { pattern: "^function", ...content },
  { pattern: "function$", ...content, "-n": false },
  { pattern: "two", ...content, "-C": 1 },
  { pattern: "function|end", ...content, "-A": 1, "-B": 1, path: "src" },
  { pattern: String.raw`caf\w\b`, ...content },
  { pattern: String.raw`^\w+ \d+ \w+$`, ...content },
  { pattern: "[[:upper:]]{3}", ...content },
  { pattern: "(?i)FUNCTION T", ...content },
  { pattern: String.raw`\{\n  return`, multiline: true, ...content },
  { pattern: "export.*two", multiline: true, output_mode: "count" },
  { pattern: "^", multiline: true, output_mode: "count" },
  { pattern: "x*", output_mode: "count" },
  { pattern: String.raw`\S`, output_mode: "count" },
  { pattern: "(?<=export )function", ...content },
  { pattern: String.raw`(\w)\1`, output_mode: "count" },
  { pattern: String.raw`\-b`, ...content },
  { pattern: "--version", ...content },
  { pattern: "function", glob: "*.ts" },
  { pattern: "function", glob: "src/**/*.{ts,md}" },
  { pattern: "function", glob: "!*.ts" },
  { pattern: "function", path: "a.ts", ...content },
  { pattern: "function", path: "ignored.log", ...content },
  { pattern: "function", ...content, head_limit: 3 },
  { pattern: "no such text anywhere" },
];

describe.runIf(hasRipgrep)("ripgrep and the regex engine", () => {
  test.each(calls)("give the same result for %j", async (call) => {
    const fixture = createFixture();
    const regex = await fixture.call(withRegex, call);
    const ripgrep = await fixture.call(withRipgrep, call);
    expect(ripgrep).toEqual(regex);
    expect(regex.isError).toBeUndefined();
  });
});

describe.each(hasRipgrep ? ["regex", "ripgrep"] : ["regex"])("with %s", (engine) => {
  const grep = engine === "regex" ? withRegex : withRipgrep;

  test("finds files in order, without ignored, binary, linked and special files", async () => {
    const { text } = await createFixture().call(grep, { pattern: "function" });
    const wanted = [
      "-dash.ts",
      ".hidden.ts",
      "a.ts",
      "bom.txt",
      "late.txt",
      "latin.txt",
      "long.txt",
    ];
    const deeper = ["src/c.ts", "src/d-e.ts", "src/deep/f.md", "src/kept.log", "with space/ü.ts"];
    expect(text.split("\n")).toEqual([...wanted, ...deeper]);
  });

  test("shows lines with numbers, context lines and gaps", async () => {
    const { text } = await createFixture().call(grep, {
      pattern: "one|two",
      ...content,
      path: "a.ts",
    });
    expect(text).toBe("a.ts:1:export function one() {}\na.ts:3:export function two() {}");
    const around = await createFixture().call(grep, {
      pattern: "return|end",
      ...content,
      path: "src",
      "-B": 1,
    });
    expect(around.text).toBe(
      "src/c.ts-1-function three() {\nsrc/c.ts:2:  return 'café';\n--\nsrc/d-e.ts-3-function\nsrc/d-e.ts:4:end",
    );
  });

  test("cuts long lines and long outputs", async () => {
    const fixture = createToolFixture();
    writeFileSync(join(fixture.workspace, "a"), `${"y".repeat(700)}\n`.repeat(300));
    const { text } = await fixture.call(grep, { pattern: "y", ...content });
    expect(text.length).toBeLessThanOrEqual(30_000);
    expect(text).toContain("it has 700 characters");
    expect(text).toContain(fixture.outputFolder);
    expect((await fixture.call(grep, { pattern: "y", ...content, head_limit: 2 })).text).toContain(
      "[Cut after 2 lines; 300 matching lines",
    );
  });

  test("explains an invalid pattern", async () => {
    const { text, isError } = await createFixture().call(grep, { pattern: "foo(" });
    expect(isError).toBe(true);
    expect(text).toContain("foo( is not a valid regular expression");
  });

  test("suggests multiline for a pattern with a line break", async () => {
    expect((await createFixture().call(grep, { pattern: String.raw`one\nconst` })).text).toContain(
      "Set multiline",
    );
  });

  test("reports files that were too large to search", async () => {
    const fixture = createToolFixture();
    writeFileSync(join(fixture.workspace, "big"), Buffer.alloc(21 * 1024 * 1024, "x"));
    expect((await fixture.call(grep, { pattern: "x" })).text).toContain(
      "1 files over 20 MiB were not searched",
    );
  });

  test("refuses to search outside the workspace", async () => {
    expect((await createFixture().call(grep, { pattern: "x", path: "link" })).text).toContain(
      "outside the workspace",
    );
    expect((await createFixture().call(grep, { pattern: "x", path: "nowhere" })).text).toContain(
      "does not exist",
    );
  });

  test("stops when the run is cancelled", async () => {
    const controller = new AbortController();
    const fixture = createToolFixture(controller.signal);
    writeFileSync(join(fixture.workspace, "a"), "x");
    controller.abort();
    expect((await fixture.call(grep, { pattern: "x" })).isError).toBe(true);
  });
});

// The assertion is that the call ends: the pattern takes 2^50 steps.
test("gives up on an exponential expression", async () => {
  const fixture = createToolFixture();
  writeFileSync(join(fixture.workspace, "a"), `${"a".repeat(50)}!\n`);
  const tool = createGrepTool({ search: async (request) => await searchByRegex(request, 200) });
  const { text } = await fixture.call(tool, { pattern: "^(a+)+$" });
  expect(text).toContain("took more than 200 ms of CPU time");
});

describe("a path that a rule names", () => {
  const rules = { allow: [], ask: ["Grep(drafts/**)"], deny: ["Read(secrets/**)", "Bash(rm *)"] };

  function createGuarded(): ToolFixture {
    const fixture = createToolFixture();
    for (const folder of ["secrets", "drafts", "src"]) {
      mkdirSync(join(fixture.workspace, folder));
      writeFileSync(join(fixture.workspace, folder, "a.txt"), "needle\n");
    }
    fixture.context.caller.spec.policies = [{ mode: "auto", rules }];
    return fixture;
  }

  test("is left out of a search of its parent folder, and the answer says so", async () => {
    const fixture = createGuarded();
    const { text } = await fixture.call(withRegex, { pattern: "needle", output_mode: "content" });
    expect(text).toContain("src/a.txt");
    expect(text).not.toContain("secrets/a.txt");
    expect(text).not.toContain("drafts/a.txt");
    expect(text).toContain("2 files were not searched");
  });

  test("is searched when the call names that file or folder, which has permission", async () => {
    const fixture = createGuarded();
    for (const path of ["drafts/a.txt", "drafts"]) {
      const { text } = await fixture.call(withRegex, { pattern: "needle", path });
      expect(text, path).toContain("drafts/a.txt");
    }
  });
});
