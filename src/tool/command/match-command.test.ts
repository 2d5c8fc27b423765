import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { measureCpu } from "../../../test/fixtures/cpu-time.ts";
import { samples } from "../../../test/is-long.ts";
import { concernsCommand, coversCommand } from "./match-command.ts";

test("an allow rule for a program lets bash run no other program", () => {
  const part = fc.constantFrom(
    "echo",
    "echo a",
    "evil",
    " ",
    "\n",
    "\t",
    ";",
    "&",
    "&&",
    "|",
    "||",
    "#",
    "'",
    '"',
    "\\",
    "$",
    "$'",
    "`",
    "(",
    ")",
    "{",
    "}",
    "$(",
    "${",
    "$((",
    "))",
    "[[",
    "]]",
    "<",
    ">",
    "<(",
    "<<E",
    "E",
    "<<<",
    "!",
    "=",
    "a=",
    ",",
    "*",
    "~",
    "if",
    "then",
    "fi",
    "do",
    "done",
    "for",
    "case",
    "in",
    "esac",
    "function",
    "evil()",
    "coproc",
    "time",
    "2>&1",
    ">/dev/null",
    "</dev/null",
    "\r",
    "@",
    "-",
  );
  const lines = fc.array(part, { maxLength: 9 }).map((parts) => `echo ${parts.join("")}`);
  const found: string[] = [];
  fc.assert(
    fc.property(lines, (line) => {
      if (coversCommand("echo *", line)) found.push(line);
    }),
    { numRuns: 20_000 },
  );
  const plain = [...new Set(found)].slice(0, 300);
  expect(plain.length).toBeGreaterThan(100);
  expect(commandsBashRuns(plain).filter((name) => name !== "echo")).toEqual([]);
});

/** Returns the first word of each command that bash runs for `lines`, including programs it does not find. */
function commandsBashRuns(lines: readonly string[]): string[] {
  const script = `PATH=/nonexistent; set -T
    command_not_found_handle() { builtin printf 'ran %s\\n' "$1" >&3; }
    trap 'builtin read -r word _ <<< "$BASH_COMMAND"; [[ $word == builtin || $word == eval || $word == mapfile || $word == for ]] || builtin printf "ran %s\\n" "$word" >&3' DEBUG
    builtin mapfile -d '' lines
    for line in "\${lines[@]}"; do builtin eval "$line" >/dev/null 2>&1; done`;
  const { output } = spawnSync("bash", ["-c", script], {
    input: lines.join("\0"),
    stdio: ["pipe", "ignore", "ignore", "pipe"],
    encoding: "utf8",
    cwd: tmpdir(),
  });
  const ran = String(output[3])
    .split("\n")
    .filter((line) => line.startsWith("ran "));
  return ran.map((line) => line.slice(4));
}

test("reads any line of 10,000 characters in under 50 ms", async () => {
  const part = fc.constantFrom(
    "$(",
    "$(x ",
    "<(a ",
    "`",
    "${a:-",
    '"$(',
    "f() ",
    "((",
    "[[ ",
    "$'a",
    "{a,b}",
    "if ",
    "case x in x) ",
    "a=(",
    "<<a\n",
    "x;",
    "a|",
    "'",
    '"',
    "\\",
    "! ",
    "coproc ",
    "( ",
    "$[",
    "@(",
    "a() {",
    "rm ",
    "rm;",
    "sudo ",
    "-a ",
    "sh -c '",
    'sh -c "',
    "x 'a b' ",
    "$a ",
    "a=$a$a;",
    "*",
    "[a]",
    "x/ ",
    "s/",
    "xargs rm ",
    "eval 'a b' ",
    ">x ",
    "for a in b; do ",
    "s|",
    "sed ",
  );
  const line = fc
    .tuple(fc.array(part, { maxLength: 3 }), fc.array(part, { minLength: 1, maxLength: 3 }))
    .map(([before, again]) => (before.join("") + again.join("").repeat(10_000)).slice(0, 10_000));
  // Warm-up: the first lines are slower, because the code is not compiled yet.
  for (const warm of fc.sample(line, 50)) concernsCommand("rm *", warm);
  const slow: [string, number][] = [];
  for (const one of fc.sample(line, samples(200))) {
    let shortest = Number.POSITIVE_INFINITY;
    // The shortest time has the least noise from this process.
    for (let time = 0; time < 10 && shortest >= 50; time += 1) {
      shortest = Math.min(shortest, await measureCpu(() => concernsCommand("*rm*x*y", one)));
    }
    if (shortest >= 50) slow.push([one.slice(0, 60), shortest]);
  }
  expect(slow).toEqual([]);
});
