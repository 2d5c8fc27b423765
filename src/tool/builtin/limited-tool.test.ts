import { expect, test } from "vitest";
import { parseClaude } from "../../agent/claude/claude.ts";
import type { PermissionPolicy } from "../../run/permission.ts";
import { decide } from "../permission/permission.ts";
import type { ToolAccess } from "../tool.ts";

const workspace = "/work/project";

function decideAs(tools: string, mode: PermissionPolicy["mode"] = "auto") {
  const text = `---\nname: a\ndescription: d\n${tools}\n---\nBody.`;
  const file = { path: "/work/project/.claude/agents/a.md", text, scope: "project" } as const;
  const rules = parseClaude(file)?.permissions;
  if (rules === undefined) throw new Error(`expected ${tools} to come to rules`);
  const parent = { mode, rules: { allow: ["Bash", "Read"], ask: [], deny: [] } };
  return (tool: string, access: ToolAccess, subject: string): string => {
    const isFile = access === "read" || access === "edit";
    const paths = isFile ? [`${workspace}/${subject}`] : null;
    const call = { tool, access, subject, paths, workspace };
    return decide([parent, { mode: "auto", rules }], call).decision;
  };
}

test("Bash limited to git refuses every other command, whatever the parent allows", () => {
  const decision = decideAs("tools: Read, Bash(git:*)");
  expect(decision("Bash", "execute", "git status")).toBe("allow");
  expect(decision("Bash", "execute", "git log | head")).toBe("deny");
  for (const command of ["npm test", "git status; rm x", "gitk", "rm git", "git $(rm x)"]) {
    expect(decision("Bash", "execute", command), command).toBe("deny");
  }
  expect(decision("Read", "read", "anything")).toBe("allow");
});

test("a limit to one exact command allows only that command", () => {
  const decision = decideAs("tools: Bash(npm test)");
  expect(decision("Bash", "execute", "npm test")).toBe("allow");
  expect(decision("Bash", "execute", "npm test --watch")).toBe("deny");
});

test("Read limited to a folder refuses other files, for search tools too", () => {
  const decision = decideAs("tools: Read(src/**), Grep, LS");
  expect(decision("Read", "read", "src/a/b.ts")).toBe("allow");
  expect(decision("Grep", "read", "src/a")).toBe("allow");
  for (const [tool, path] of [
    ["Read", ".env"],
    ["Read", "source.ts"],
    ["Grep", "."],
    ["LS", "secrets"],
  ] as const) {
    expect(decision(tool, "read", path), path).toBe("deny");
  }
});

test("a limit never grants more than the parent has", () => {
  expect(decideAs("tools: Bash(git:*)", "plan")("Bash", "execute", "git status")).toBe("deny");
  expect(decideAs("tools: Write(docs/**)", "ask")("Write", "edit", "docs/a.md")).toBe("ask");
});

test("a denied pattern refuses its matches and nothing else", () => {
  const decision = decideAs("disallowedTools: Bash(rm:*)");
  expect(decision("Bash", "execute", "ls")).toBe("allow");
  expect(decision("Bash", "execute", "ls && rm -rf x")).toBe("deny");
});
