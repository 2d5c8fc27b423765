import { expect, test } from "vitest";
import { measureCpu } from "../../../test/fixtures/cpu-time.ts";
import type { PermissionCall } from "./permission-call.ts";
import { exactPattern, matchesRule } from "./rule-match.ts";

function bash(subject: string): PermissionCall {
  return { tool: "Bash", access: "execute", subject, paths: null, workspace: "/work" };
}

const allowed = (call: PermissionCall, pattern: string): boolean =>
  matchesRule({ tool: "Bash", pattern }, call, "narrow");
const denied = (call: PermissionCall, pattern: string): boolean =>
  matchesRule({ tool: "Bash", pattern }, call, "wide");

test("allows a command by a pattern, and by the pattern syntax of Claude Code", () => {
  expect(allowed(bash("git status"), "git status*")).toBe(true);
  expect(allowed(bash("git status -s"), "git status:*")).toBe(true);
  expect(allowed(bash("git status"), "git status:*")).toBe(true);
  expect(allowed(bash("git statuses"), "git status:*")).toBe(false);
  expect(allowed(bash("git status && git status -s 2>&1 >/dev/null"), "git status*")).toBe(true);
  expect(allowed(bash("git log | head -3"), "git log*")).toBe(false);
  expect(allowed(bash("npm test"), "npm test")).toBe(true);
});

test("a trailing star after a space also matches the command without arguments, as in Claude Code", () => {
  for (const is of [allowed, denied]) {
    expect(is(bash("git push"), "git push *")).toBe(true);
    expect(is(bash("git push -f"), "git push *")).toBe(true);
    expect(is(bash("git pushed"), "git push *")).toBe(false);
  }
  expect(allowed(bash("npm --help"), "* --help *")).toBe(false);
  expect(denied(bash("npm --help"), "* --help *")).toBe(true);
});

test.each([
  "git status; rm -rf /",
  "git status && rm x",
  "git status || rm x",
  "git status | sh",
  "git status |& sh",
  "git status & rm x",
  "git status\nrm x",
  "git status $(rm x)",
  "git status `rm x`",
  'git status "$(rm x)"',
  'git status "`rm x`"',
  "git status <(rm x)",
  "git status > ~/.bashrc",
  "git status >> x",
  "git status 2> x",
  "git status &> x",
  "git status &>/dev/null rm x",
  "git status < x",
  "git status <<E\nx\nE",
  "git status ${x@P}",
  'git status "${x@P}"',
  "git status $((a[$(rm)]))",
  "git status $[1]",
  "git status # '\nrm x\n# '",
  "git status #'\nrm x #'",
  "git status \\\n; rm x",
  "git status 'open",
  'git status "open',
  "git status $'a\\'; rm x #'",
  "(git status)",
  "{ git status; }",
  "git status \\",
  "git status; if true; then rm x; fi",
  "PAGER=evil git status",
  "git status\r rm",
])("does not allow %j by a rule for git status", (line) => {
  expect(allowed(bash(line), "git status*")).toBe(false);
  expect(allowed(bash(line), "git status:*")).toBe(false);
});

test("allows quotes and plain variables in an allowed command", () => {
  const rule = "echo *";
  for (const line of [
    "echo 'a; b | c'",
    'echo "a && b"',
    'echo $HOME "$HOME"',
    "echo a\\;b",
    "echo a#b",
    "echo 'a\nb'",
  ]) {
    expect(allowed(bash(line), rule)).toBe(true);
  }
});

test.each([
  "rm -rf x",
  "ls; rm -rf x",
  "ls && rm x",
  "echo $(rm x)",
  "echo `rm x`",
  '"rm" x',
  "r\\m x",
  "/bin/rm x",
  "FOO=1 rm x",
  "sudo -n rm x",
  "env A=b rm x",
  "nohup rm x",
  "timeout 5 rm x",
  "ls | xargs rm -f",
  "bash -c 'rm x'",
  "if true; then rm x; fi",
  "{ rm x; }",
  "(rm x)",
  "ls\nrm   x",
  "! rm x",
])("denies %j by a rule for rm", (line) => {
  expect(denied(bash(line), "rm *")).toBe(true);
});

test("does not deny a command that only mentions a forbidden word", () => {
  expect(denied(bash("cat warm x"), "rm *")).toBe(false);
  expect(denied(bash("npm run lint"), "rm *")).toBe(false);
});

test("reads a hostile command line quickly", async () => {
  const lines = [
    "a".repeat(100_000),
    "-a ".repeat(30_000),
    "'\"".repeat(50_000),
    "$(".repeat(50_000),
    `>${" ".repeat(100_000)}`,
  ];
  const cpuMs = await measureCpu(() => {
    for (const line of lines) {
      denied(bash(line), "rm * * * *x");
      expect(allowed(bash(line), "a*a*a*a*a*b")).toBe(false);
    }
  });
  // About 300 ms; quadratic work would take far longer.
  expect(cpuMs).toBeLessThan(5000);
});

test("matches the arguments of an MCP tool as JSON, and each text in them to deny", () => {
  const call: PermissionCall = {
    tool: "mcp__fs__write",
    access: "execute",
    subject: '{"data":"a && b","path":"/etc/*"}',
    paths: null,
    workspace: "/work",
  };
  const matches = (pattern: string, reading: "narrow" | "wide"): boolean =>
    matchesRule({ tool: "mcp__fs__write", pattern }, call, reading);
  expect(matches('*"path":"/etc/*', "narrow")).toBe(true);
  expect(matches("/etc/*", "narrow")).toBe(false);
  expect(matches("/etc/*", "wide")).toBe(true);
  expect(matches("/home/*", "wide")).toBe(false);
  for (const access of ["execute", "read"] as const) {
    const own = exactPattern({ ...call, access });
    expect(matchesRule({ tool: call.tool, pattern: own }, { ...call, access }, "narrow")).toBe(
      true,
    );
    const other = { ...call, access, subject: call.subject.replace("*", "x") };
    expect(matchesRule({ tool: call.tool, pattern: own }, other, "narrow")).toBe(false);
  }
});

test("matches one argument of a tool that is not built in by its name", () => {
  const subject = '{"customer":"Ada","limits":{"note":"vip"},"year":2026}';
  const call: PermissionCall = {
    tool: "lookup",
    access: "execute",
    subject,
    paths: null,
    workspace: "/work",
  };
  const matches = (pattern: string, reading: "narrow" | "wide"): boolean =>
    matchesRule({ tool: "lookup", pattern }, call, reading);
  for (const pattern of ["customer:A*", "customer:*", "year:2026", 'limits:{"note":"vip"}']) {
    expect(matches(pattern, "narrow"), pattern).toBe(true);
    expect(matches(pattern, "wide"), pattern).toBe(true);
  }
  for (const pattern of ["customer:B*", "name:*", "toString:*", "Ada"]) {
    expect(matches(pattern, "narrow"), pattern).toBe(false);
  }
  expect(matches("limits:vip", "narrow")).toBe(false);
  expect(matches("limits:vip", "wide")).toBe(true);
  expect(matches("Ada", "wide")).toBe(true);
  expect(matches("year:vip", "wide")).toBe(false);
});
