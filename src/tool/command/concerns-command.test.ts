import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { samples } from "../../../test/is-long.ts";
import { otherSpellings } from "../../../test/fixtures/format/other-spellings.ts";
import { shellSpellings } from "../../../test/fixtures/attack/shell-spellings.ts";
import { concernsCommand } from "./match-command.ts";

describe("a deny rule", () => {
  test.each([...shellSpellings, ...otherSpellings])("for rm matches %j", (line) => {
    expect(concernsCommand("rm *", line)).toBe(true);
  });

  test.each([
    "cat warm x",
    "npm run lint",
    "git rm x",
    "docker rm x",
    "npm rm x",
    "git commit -m 'rm x'",
    "git add rm",
    "git log --grep='rm x'",
    "echo rm x",
    "printf 'rm x' > y",
    "grep -r 'rm x' .",
    "which rm",
    "ls rm *",
    "find . -name 'rm *'",
    "sed -n '/rm x/p' y",
    "awk '/rm x/ {print $1}' y",
    "pytest -k 'rm x'",
    "node script.js rm x",
    "npx eslint '*'",
    "for f in *; do echo $f; done",
    "docker run alpine ls",
  ])("for rm does not match %j, which only mentions it", (line) => {
    expect(concernsCommand("rm *", line)).toBe(false);
  });

  test("matches inside any combination of wrappers", () => {
    const quote = (line: string): string => `'${line.replaceAll("'", String.raw`'\''`)}'`;
    const wrapper = fc.constantFrom<(line: string) => string>(
      (line) => `sudo -u x ${line}`,
      (line) => `timeout -s KILL 5 ${line}`,
      (line) => `env -u A B=c ${line}`,
      (line) => `nice -n 10 ${line}`,
      (line) => `xargs -I{} ${line}`,
      (line) => `find . -exec ${line} {} +`,
      (line) => `flock /tmp/l ${line}`,
      (line) => `A=1 stdbuf -oL ${line}`,
    );
    const construct = fc.constantFrom<(line: string) => string>(
      (line) => `{ (${line}); }`,
      (line) => `{ ${line}; }`,
      (line) => `if true; then ${line}; fi`,
      (line) => `echo "$(${line})"`,
      (line) => `cat <(${line})`,
      (line) => `f() { ${line}; }; f`,
      (line) => `ls && ${line} || ls`,
      (line) => `ls | ${line} & ls`,
      (line) => `sh -c ${quote(line)}`,
      (line) => `eval ${quote(line)}`,
      (line) => `trap ${quote(line)} EXIT`,
      (line) => `sh <<'END'\n${line}\nEND\n`,
      (line) => `echo ${quote(line)} | bash`,
      (line) => `ssh host ${quote(line)}`,
    );
    const wraps = fc.tuple(
      fc.array(wrapper, { maxLength: 3 }),
      fc.array(construct, { maxLength: 3 }),
    );
    fc.assert(
      fc.property(wraps, ([wrappers, constructs]) => {
        let line = "rm -rf x";
        for (const wrap of [...wrappers, ...constructs]) line = wrap(line);
        expect(concernsCommand("rm -rf *", line), line).toBe(true);
      }),
      { numRuns: samples(500) },
    );
  });
});
