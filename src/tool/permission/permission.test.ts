import * as fc from "fast-check";
import { expect, test } from "vitest";
import { permissionModes, type PermissionPolicy } from "../../run/permission.ts";
import type { PermissionCall } from "./permission-call.ts";
import { decide } from "./permission.ts";
import type { ToolAccess } from "../tool.ts";

const workspace = "/work/project";

function policy(
  mode: PermissionPolicy["mode"],
  rules: Partial<PermissionPolicy["rules"]> = {},
): PermissionPolicy {
  return { mode, rules: { allow: [], ask: [], deny: [], ...rules } };
}

function bash(subject: string): PermissionCall {
  return { tool: "Bash", access: "execute", subject, paths: null, workspace };
}

function file(tool: string, name: string): PermissionCall {
  const path = name.startsWith("/") ? name : `${workspace}/${name}`;
  return {
    tool,
    access: tool === "Read" || tool === "Grep" ? "read" : "edit",
    subject: name,
    paths: [path],
    workspace,
  };
}

function web(url: string): PermissionCall {
  return { tool: "WebFetch", access: "network", subject: url, paths: [], workspace };
}

const allowed = (call: PermissionCall, ...allow: string[]): boolean =>
  decide([policy("ask", { allow })], call).decision === "allow";
const denied = (call: PermissionCall, ...deny: string[]): boolean =>
  decide([policy("auto", { deny })], call).decision === "deny";

test.each([
  ["edit", "plan", "deny"],
  ["edit", "read-only", "deny"],
  ["execute", "read-only", "deny"],
  ["network", "read-only", "ask"],
  ["edit", "deny", "deny"],
  ["edit", "ask", "ask"],
  ["edit", "accept-edits", "allow"],
  ["edit", "auto", "allow"],
  ["execute", "plan", "deny"],
  ["execute", "deny", "deny"],
  ["execute", "ask", "ask"],
  ["execute", "accept-edits", "ask"],
  ["execute", "auto", "allow"],
  ["network", "plan", "ask"],
  ["network", "deny", "deny"],
  ["network", "ask", "ask"],
  ["network", "accept-edits", "ask"],
  ["network", "auto", "allow"],
] as const)("decides %s in mode %s as %s", (access, mode, decision) => {
  const call = { tool: "X", access, subject: "x", paths: [`${workspace}/x`], workspace };
  expect(decide([policy(mode)], call)).toMatchObject({ decision, reason: `mode ${mode}` });
});

test.each(["none", "read", "delegate"] as const)(
  "allows %s in every mode, unless a rule says otherwise",
  (access) => {
    const call = { tool: "X", access, subject: "x", paths: [], workspace };
    for (const mode of permissionModes) expect(decide([policy(mode)], call).decision).toBe("allow");
    expect(decide([policy("auto", { ask: ["X"] })], call)).toMatchObject({
      decision: "ask",
      reason: "rule X",
    });
  },
);

test("ranks deny over ask, ask over allow, and allow over the mode", () => {
  const rules = { allow: ["Bash"], ask: ["Bash(npm *)"], deny: ["Bash(npm publish*)"] };
  expect(decide([policy("ask", rules)], bash("npm publish")).decision).toBe("deny");
  expect(decide([policy("ask", rules)], bash("npm test")).decision).toBe("ask");
  expect(decide([policy("ask", rules)], bash("ls")).decision).toBe("allow");
});

test("keeps plan mode read-only and never asks in deny mode, whatever is allowed", () => {
  expect(decide([policy("plan", { allow: ["Bash", "Write"] })], bash("ls")).decision).toBe("deny");
  expect(decide([policy("plan", { allow: ["Write"] })], file("Write", "a")).decision).toBe("deny");
  expect(decide([policy("deny", { ask: ["Bash"] })], bash("ls")).decision).toBe("deny");
  expect(decide([policy("deny", { allow: ["Bash(ls)"] })], bash("ls")).decision).toBe("allow");
});

test("lets a read-only run execute commands in Cadre's own shell and in no other program", () => {
  const shell = { ...bash("git diff"), isShell: true };
  expect(decide([policy("read-only")], shell).decision).toBe("allow");
  expect(decide([policy("ask"), policy("read-only")], shell).decision).toBe("ask");
  expect(decide([policy("plan"), policy("read-only")], shell).decision).toBe("deny");
  expect(decide([policy("read-only", { deny: ["Bash(git *)"] })], shell).decision).toBe("deny");
  for (const call of [bash("git diff"), { ...bash("{}"), tool: "mcp__git__log" }]) {
    expect(decide([policy("read-only", { allow: ["*"] })], call)).toMatchObject({
      decision: "deny",
      reason: "mode read-only",
    });
  }
});

test("lists the decision of each level, with its owner", () => {
  const levels = [
    { ...policy("ask", { allow: ["Bash(git log*)"] }), from: "the configuration" },
    { ...policy("plan"), from: "agent planner" },
  ];
  expect(decide(levels, bash("git log"))).toEqual({
    decision: "deny",
    reason: "mode plan of agent planner",
    levels: [
      { decision: "allow", reason: "rule Bash(git log*) of the configuration" },
      { decision: "deny", reason: "mode plan of agent planner" },
    ],
  });
});

test("takes the strictest decision of all levels, and asks without any", () => {
  const levels = [policy("auto"), policy("ask"), policy("accept-edits")];
  expect(decide(levels, bash("ls"))).toMatchObject({ decision: "ask", reason: "mode ask" });
  expect(decide([], bash("ls")).decision).toBe("ask");
});

test("matches paths relative to the workspace, narrowly to allow and widely to deny", () => {
  expect(allowed(file("Write", "docs/a/b.md"), "Write(docs/**)")).toBe(true);
  expect(allowed(file("Write", "docs/a.md"), "Write(./docs/)")).toBe(true);
  expect(allowed(file("Write", "src/docs/a.md"), "Write(docs/**)")).toBe(false);
  expect(allowed(file("Write", "/etc/docs/a"), "Write(docs/**)")).toBe(false);
  expect(allowed(file("Write", "/etc/docs/a"), "Write(/etc/**)")).toBe(true);
  expect(allowed(file("Edit", "docs/a.md"), "Write(docs/**)")).toBe(false);
  expect(denied(file("Read", "a/b/.env"), "Read(.env)")).toBe(true);
  expect(denied(file("Read", "secrets/a"), "Read(secrets)")).toBe(true);
  expect(denied(file("Write", "src/a.ts"), "Edit(src/**)")).toBe(true);
  expect(denied(file("Grep", "secrets"), "Read(secrets/)")).toBe(true);
  expect(denied(file("Read", "src/a.ts"), "Read(secrets)")).toBe(false);
});

test("matches domains exactly to allow, with their subdomains to deny", () => {
  const rule = "WebFetch(domain:example.com)";
  expect(allowed(web("https://example.com/x"), rule)).toBe(true);
  expect(allowed(web("https://a.example.com/x"), rule)).toBe(false);
  expect(allowed(web("https://example.com.evil.org/"), rule)).toBe(false);
  expect(allowed(web("https://evil.org/?domain:example.com"), rule)).toBe(false);
  expect(allowed(web("https://a.example.com/"), "WebFetch(domain:*.example.com)")).toBe(true);
  expect(denied(web("https://A.Example.com./x"), rule)).toBe(true);
  expect(denied(web("https://example.org/"), rule)).toBe(false);
});

test("matches MCP tools by server, and agents by name", () => {
  const call = (tool: string, access: ToolAccess, subject: string): PermissionCall => ({
    tool,
    access,
    subject,
    paths: null,
    workspace,
  });
  expect(allowed(call("mcp__git__log", "execute", "{}"), "mcp__git__*")).toBe(true);
  expect(allowed(call("mcp__git__log", "execute", "{}"), "mcp__git")).toBe(true);
  expect(allowed(call("mcp__github__log", "execute", "{}"), "mcp__git__*")).toBe(false);
  expect(denied(call("Agent", "delegate", "explorer"), "Agent(expl*)")).toBe(true);
  expect(denied(call("Agent", "delegate", "writer"), "Agent(expl*)")).toBe(false);
});

test.each([
  ".git/hooks/pre-commit",
  ".cadre/config.yaml",
  ".cadre/agents/x.md",
  "sub/.git/config",
  ".claude/settings.json",
  ".aipack/custom/ns/pack/main.aip",
  ".aipack/config.toml",
  ".GIT/hooks/x",
])("asks before %s is written in every mode that could allow it", (name) => {
  for (const mode of ["ask", "accept-edits", "auto"] as const) {
    expect(
      decide([policy(mode, { allow: ["Write", "Write(**)"] })], file("Write", name)).decision,
    ).toBe("ask");
  }
  expect(
    decide([policy("auto", { allow: [`Write(${name})`] })], file("Write", name)).decision,
  ).toBe("allow");
  expect(decide([policy("deny")], file("Write", name)).decision).toBe("deny");
  expect(decide([policy("plan")], file("Read", name)).decision).toBe("allow");
});

test("lets packs write their own files beside their configuration", () => {
  const prompt = file("Write", ".aipack/.prompt/pro@coder/coder-prompt.md");
  expect(decide([policy("accept-edits")], prompt).decision).toBe("allow");
});

test("never ignores a rule it cannot understand", () => {
  const rules = [
    "Bash(ls",
    "",
    "Bash()",
    "(x)",
    "WebFetch(domain:)",
    "Bash rm",
    "WebFetch(domain:a/b)",
  ];
  for (const rule of rules) {
    expect(decide([policy("auto", { deny: [rule] })], bash("ls")).decision).toBe("deny");
    expect(decide([policy("auto", { ask: [rule] })], bash("ls")).decision).toBe("ask");
    expect(decide([policy("ask", { allow: [rule] })], bash("ls")).decision).toBe("ask");
  }
});

test("never loosens a decision when a level is added", () => {
  const rule = fc.constantFrom(
    "Bash",
    "Bash(git *)",
    "Bash(git:*)",
    "Write(src/**)",
    "Edit",
    "Read(.env)",
    "*",
    "broken(",
    "WebFetch(domain:a.b)",
  );
  const rules = fc.array(rule, { maxLength: 3 });
  const decision = fc.constantFrom("allow" as const, "ask" as const, "deny" as const);
  const ordered = fc.array(fc.record({ decision, rule }), { maxLength: 3 });
  const level = fc.record({
    mode: fc.constantFrom(...permissionModes),
    rules: fc.record({ allow: rules, ask: rules, deny: rules, ordered }),
  });
  const call = fc.constantFrom(
    bash("git log"),
    bash("rm x; git log"),
    file("Write", "src/a"),
    file("Edit", ".git/config"),
    file("Read", ".env"),
    web("https://a.b/"),
  );
  const order = ["allow", "ask", "deny"];
  fc.assert(
    fc.property(
      fc.array(level, { maxLength: 3, minLength: 1 }),
      level,
      call,
      (levels, added, asked) => {
        const before = order.indexOf(decide(levels, asked).decision);
        expect(order.indexOf(decide([...levels, added], asked).decision)).toBeGreaterThanOrEqual(
          before,
        );
        expect(order.indexOf(decide([added, ...levels], asked).decision)).toBeGreaterThanOrEqual(
          before,
        );
      },
    ),
  );
});

test("the last matching ordered rule wins, and any other call is refused", () => {
  const git = policy("auto", {
    ordered: [
      { decision: "deny", rule: "Bash" },
      { decision: "allow", rule: "Bash(git:*)" },
      { decision: "ask", rule: "Bash(git push*)" },
      { decision: "deny", rule: "Bash(git push --force*)" },
    ],
  });
  const decisionOf = (command: string): string => decide([git], bash(command)).decision;
  expect(decisionOf("git status")).toBe("allow");
  expect(decisionOf("git push")).toBe("ask");
  expect(decisionOf("git push --force")).toBe("deny");
  for (const other of ["npm test", "git status; rm x", "git status && npm test", "gitk"]) {
    expect(decisionOf(other), other).toBe("deny");
  }
  expect(decide([git], file("Write", "a")).decision).toBe("allow");
  expect(decide([policy("ask"), git], bash("git status")).decision).toBe("ask");
});

test("an ask rule for a part does not admit the denied rest", () => {
  const ordered = [
    { decision: "deny", rule: "Bash" },
    { decision: "ask", rule: "Bash(git:*)" },
  ] as const;
  const decision = (command: string): string =>
    decide([policy("auto", { ordered })], bash(command)).decision;
  expect(["git push", "git log && rm -rf x", "rm -rf x"].map(decision)).toEqual([
    "ask",
    "deny",
    "deny",
  ]);
});

test.each([
  ["plan", [], "ask"],
  ["deny", [], "deny"],
  ["accept-edits", [], "ask"],
  ["auto", [], "ask"],
  ["auto", ["Agent", "Agent(x*)", "Agent(*)"], "ask"],
  ["auto", ["Agent(x 1)"], "allow"],
  ["deny", ["Agent(x 1)"], "allow"],
] as const)(
  "decides a call that raises rights in mode %s with the rules %j as %s",
  (mode, allow, decision) => {
    const call = {
      tool: "Agent",
      access: "delegate",
      subject: "x 1",
      paths: [],
      workspace,
    } as const;
    const raising = { ...call, raisesRights: "it changed" };
    expect(decide([policy(mode, { allow })], raising).decision).toBe(decision);
    expect(decide([policy(mode, { allow })], call).decision).toBe("allow");
  },
);
