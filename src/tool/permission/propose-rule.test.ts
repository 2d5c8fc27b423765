import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { PermissionCall } from "./permission-call.ts";
import { coversCall, ruleFor } from "./permission.ts";
import { proposeRule } from "./propose-rule.ts";

const workspace = "/work/project";

function bash(subject: string): PermissionCall {
  return { tool: "Bash", access: "execute", subject, paths: null, workspace };
}

function edit(...names: string[]): PermissionCall {
  const paths = names.map((name) => (name.startsWith("/") ? name : `${workspace}/${name}`));
  return { tool: "Edit", access: "edit", subject: names[0] ?? "", paths, workspace };
}

function fetch(subject: string): PermissionCall {
  return { tool: "WebFetch", access: "network", subject, paths: [], workspace };
}

const own: PermissionCall = {
  tool: "lookup",
  access: "network",
  subject: "customer:7",
  paths: [],
  workspace,
};

test.each([
  ["the same program and sub-command", bash("git log --oneline -5"), "Bash(git log*)"],
  ["the same script", bash("npm run test:attack -- -t x"), "Bash(npm run*)"],
  ["exactly a program with a path", bash("touch docs/one"), "Bash(touch docs/one)"],
  ["exactly a program alone", bash("make"), "Bash(make)"],
  ["exactly a line that no wider rule covers", bash("git log | sh"), "Bash(git log | sh)"],
  ["exactly an option that does more", bash("git log --output=x"), "Bash(git log --output=x)"],
  ["the files of the same folder", edit("docs/a.md"), "Edit(docs/**)"],
  ["exactly a file at the top", edit("a.md"), "Edit(a.md)"],
  ["the same site", fetch("https://example.com/a?b=c"), "WebFetch(domain:example.com)"],
  ["exactly the call of another tool", own, "lookup(customer:7)"],
])("proposes %s", (_, call, rule) => {
  expect(proposeRule(call)).toBe(rule);
  expect(coversCall(rule, call)).toBe(true);
});

test("does not propose a folder for a file outside the workspace, or for several files", () => {
  expect(proposeRule(edit("/etc/hosts"))).toBe("Edit(/etc/hosts)");
  expect(proposeRule(edit("docs/a.md", "src/b.ts"))).not.toContain("**");
});

test("an invalid rule covers nothing", () => {
  expect(coversCall("Bash(", bash("ls"))).toBe(false);
  expect(coversCall("", bash("ls"))).toBe(false);
});

test("turns an answer into a rule that allows only this call", () => {
  const odd = "ab *\\():[]{}?!.;'\"$&|/\n";
  const subjects = fc.string({
    minLength: 1,
    unit: fc.constantFrom(...odd.split("")),
  });
  fc.assert(
    fc.property(subjects, subjects, (subject, other) => {
      if (subject.trim() === "") return;
      expect(coversCall(ruleFor(bash(subject.trim())), bash(subject.trim()))).toBe(true);
      if (other.trim() === subject.trim()) return;
      expect(coversCall(ruleFor(bash(subject.trim())), bash(other))).toBe(false);
    }),
  );
  const name = edit("a[1]/(b)*{c}.ts");
  expect(coversCall(ruleFor(name), name)).toBe(true);
  expect(coversCall(ruleFor(name), edit("a1/bxc.ts"))).toBe(false);
  expect(ruleFor({ ...bash(""), tool: "Think" })).toBe("Think");
});
