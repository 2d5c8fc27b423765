import { stringify as toToml } from "smol-toml";
import { expect, test } from "vitest";
import { stringify as toYaml } from "yaml";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { findTextFormat, textFormats } from "../../agent/find-format.ts";
import { selectTools } from "../../engine/tool-call/select-tools.ts";
import { toolNames } from "../../run/tool-names.ts";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { hasError } from "../../source/diagnostic.ts";
import { decide } from "../../tool/permission/permission.ts";
import type { ToolAccess } from "../../tool/tool.ts";

const workspace = "/work/project";
const offered = [...toolNames, "mcp__issues__create"].map((name) => ({ name }));

const accesses: Readonly<Record<string, ToolAccess>> = {
  Read: "read",
  Edit: "edit",
  Write: "edit",
  Bash: "execute",
  WebFetch: "network",
  Agent: "delegate",
  mcp__issues__create: "execute",
};

/** A definition with only `restriction` in a file of `format`. */
function parse(format: string, restriction: JsonObject): AgentDefinition {
  const common = { name: "a", description: "d" };
  const text =
    format === "codex"
      ? toToml({ ...common, developer_instructions: "Body.", ...restriction })
      : `---\n${toYaml({ ...common, ...restriction })}---\nBody.`;
  const path = format === "codex" ? "/p/.codex/agents/a.toml" : "/p/a.md";
  const definition = findTextFormat(format).parse({ path, text, scope: "project" });
  if (definition === null) throw new Error("expected a definition");
  return definition;
}

/** The decision about a call such as `Bash(git push)` of an agent with all rights of its definition. */
function outcomeOf(definition: AgentDefinition, call: string): "allow" | "ask" | "deny" {
  const [, tool = "", subject = "x"] = /^(\w+)(?:\((.*)\))?$/.exec(call) ?? [];
  const { tools } = selectTools(offered, definition, { parentTools: null });
  if (!tools.has(tool)) return "deny";
  if (tool === "Agent" && definition.agents?.includes(subject) === false) return "deny";
  if (tool === "Agent" && definition.maxDepth === 0) return "deny";
  const { permissionMode: mode = "auto", permissions } = definition;
  const rules = permissions ?? { allow: [], ask: [], deny: [] };
  const access = accesses[tool] ?? "none";
  const isFile = access === "read" || access === "edit";
  const paths = isFile ? [`${workspace}/${subject}`] : null;
  const isShell = tool === "Bash";
  return decide([{ mode, rules }], { tool, access, isShell, subject, paths, workspace }).decision;
}

/** Restrictions in the syntax of every program, and calls that they must not allow. */
const restrictions: readonly [restriction: JsonObject, refused: string[]][] = [
  [{ tools: ["Read"] }, ["Bash", "Edit", "WebFetch", "mcp__issues__create"]],
  [{ tools: "read, search" }, ["Bash", "Edit", "Agent(x)"]],
  [{ tools: ["Read", "Bash(git:*)"] }, ["Bash(rm x)", "Edit"]],
  [{ allowed_tools: ["Read"] }, ["Bash", "Edit"]],
  [{ tools: { "*": false, read: true } }, ["Bash", "Edit"]],
  [{ tools: { bash: false } }, ["Bash"]],
  [{ capabilities: { allowed_tools: ["Read"] } }, ["Bash", "Edit"]],
  [{ disallowedTools: ["Bash", "Edit"] }, ["Bash", "Edit"]],
  [{ disallowed_tools: "Bash(git push:*)" }, ["Bash(git push origin)"]],
  [{ "denied-tools": ["run_shell_command"] }, ["Bash"]],
  [{ excludeTools: ["shell"] }, ["Bash"]],
  [{ restrictions: { restricted_tools: ["Bash"] } }, ["Bash"]],
  [{ permissionMode: "plan" }, ["Bash", "Edit", "mcp__issues__create"]],
  [{ permissionMode: "ask" }, ["Bash", "Edit", "WebFetch"]],
  [{ permissionMode: "default" }, ["Bash", "Edit"]],
  [{ permissionMode: "dontAsk" }, ["Bash", "Edit", "WebFetch"]],
  [{ permissionMode: "acceptEdits" }, ["Bash"]],
  [{ permission_mode: "deny" }, ["Bash", "Edit"]],
  [{ permission_mode: "read-only" }, ["Edit", "mcp__issues__create"]],
  [{ settings: { permissionMode: "plan" } }, ["Bash", "Edit"]],
  [{ permissions: { deny: ["Bash", "Edit"] } }, ["Bash", "Edit", "Write"]],
  [{ permissions: { deny: ["Bash(rm:*)", "Read(.env)"] } }, ["Bash(rm x)", "Read(.env)"]],
  [{ permissions: { deny: ["shell(rm:*)"], allow: ["shell"] } }, ["Bash(rm x)"]],
  [{ permissions: { deny: ["Task"] } }, ["Agent(x)", "Subagent", "sessions_spawn"]],
  [{ permissions: { ask: ["Bash(git push:*)"] } }, ["Bash(git push)"]],
  [{ permissions: { allow: ["Read"], deny: [], defaultMode: "plan" } }, ["Bash", "Edit"]],
  [{ permissions: { ordered: [{ deny: "Bash" }, { allow: "Bash(git:*)" }] } }, ["Bash(rm x)"]],
  [{ settings: { permissions: { deny: ["Bash"] } } }, ["Bash"]],
  [{ permissions: [{ action: "shell", resource: "*", effect: "deny" }] }, ["Bash"]],
  [{ permissions: { bash: "deny" } }, ["Bash"]],
  [{ permission: { bash: "deny" } }, ["Bash"]],
  [{ permission: { edit: "deny" } }, ["Edit", "Write"]],
  [{ permission: { bash: { "*": "ask", "git *": "allow" } } }, ["Bash(rm x)"]],
  [{ permission: { "*": "deny", read: "allow" } }, ["Bash", "Edit", "mcp__issues__create"]],
  [{ permission: { deny: ["Bash"] } }, ["Bash"]],
  [{ permission: "deny" }, ["Bash", "Edit", "Read(a)"]],
  [{ permission: { task: "deny" } }, ["Agent(x)"]],
  [{ sandbox_mode: "read-only" }, ["Edit", "mcp__issues__create"]],
  [{ sandboxMode: "read-only" }, ["Edit"]],
  [{ sandbox: "read-only" }, ["Edit"]],
  [{ sandbox: { sandbox_mode: "read-only" } }, ["Edit"]],
  [{ default_permissions: ":read-only" }, ["Edit"]],
  [{ default_permissions: "mine" }, ["Edit", "Bash"]],
  [{ readonly: true }, ["Edit", "mcp__issues__create"]],
  [{ read_only: "true" }, ["Edit"]],
  [{ policy: { tools: { exclude: ["run_shell_command"] } } }, ["Bash"]],
  [{ policy: { mcp: { excluded: ["issues"] } } }, ["mcp__issues__create"]],
  [{ agents: ["reviewer"] }, ["Agent(other)"]],
  [{ tools: "Agent(reviewer)" }, ["Agent(other)", "Bash"]],
  [{ max_depth: 0 }, ["Agent(x)"]],
];

/** Limits in the syntax of every program. */
const limits: readonly [limit: JsonObject, field: keyof AgentDefinition, value: unknown][] = [
  [{ maxTurns: 7 }, "maxTurns", 7],
  [{ max_turns: 7 }, "maxTurns", 7],
  [{ steps: 7 }, "maxTurns", 7],
  [{ budget: { tokens: 100 } }, "budget", { tokens: 100 }],
  [{ disabled: true }, "disabled", true],
  [{ disable: true }, "disabled", true],
];

/** Intended restrictions without a known value. */
const doubtful: readonly JsonObject[] = [
  { permissionMode: "plann" },
  { permission_mode: "askUser" },
  { sandbox_mode: "readonly-ish" },
  { permission: { bash: "never" } },
  { permission: "strict" },
  { permissions: "strict" },
  { permissions: ["Read"] },
  { permissions: { deny: ["Bahs(rm)"] } },
  { permissions: { deny: ["Bash()"] } },
  { permissions: { denied: ["Bash"] } },
  { permissions: { deny: [{ tool: "Bash" }] } },
  { policy: { tools: { allow: ["read"] } } },
  { policy: "strict" },
  { readonly: "surely" },
  { agents: 5 },
  { max_turns: "few" },
  { budget: { dollars: 1 } },
  { disallowedTools: { Bash: true } },
  { tools: "All tools except Bash" },
];

const nameOf = (restriction: JsonObject): string => JSON.stringify(restriction);

test.each(textFormats)("without a restriction, a file of %s gives every tool", (format) => {
  const definition = parse(format, {});
  expect(hasError(definition.diagnostics)).toBe(false);
  for (const call of ["Bash", "Edit", "Read(a)", "WebFetch", "mcp__issues__create"])
    expect(outcomeOf(definition, call), call).toBe("allow");
});

test.each(textFormats)("each restriction applies in a file of %s, or is an error", (format) => {
  for (const [restriction, refused] of restrictions) {
    const definition = parse(format, restriction);
    if (hasError(definition.diagnostics)) continue;
    for (const call of refused) {
      const message = `${nameOf(restriction)} refuses ${call}`;
      expect(outcomeOf(definition, call), message).not.toBe("allow");
    }
  }
});

/** Restrictions that are errors, by format. In all other formats they apply. */
const refusedIn = (format: string, restriction: JsonObject): boolean => {
  const { tools, permissions, sandbox } = restriction;
  // Only OpenCode has a map of tools. In Codex this name is a table of settings.
  if (isRecord(tools)) return format !== "opencode";
  // Rules in a file of Cadre's own name Cadre's tools.
  if (format === "cadre") return /"shell\(|"Task"/.test(JSON.stringify(permissions ?? null));
  // In TOML a key below a table belongs to that table.
  return format === "codex" && isRecord(sandbox);
};

test.each(textFormats)(
  "in a file of %s restrictions that cannot be applied are errors",
  (format) => {
    for (const [restriction] of restrictions) {
      const { diagnostics } = parse(format, restriction);
      const message = nameOf(restriction);
      expect(hasError(diagnostics), message).toBe(refusedIn(format, restriction));
    }
  },
);

test.each(textFormats)("each limit applies in a file of %s", (format) => {
  for (const [limit, field, value] of limits) {
    const definition = parse(format, limit);
    expect(definition[field], nameOf(limit)).toEqual(value);
    expect(hasError(definition.diagnostics), nameOf(limit)).toBe(false);
  }
});

test.each(textFormats)("an empty restriction in a file of %s is an error", (format) => {
  for (const restriction of doubtful)
    expect(hasError(parse(format, restriction).diagnostics), nameOf(restriction)).toBe(true);
});

test("several restrictions in one file apply together", () => {
  const definition = parse("claude", {
    permissionMode: "acceptEdits",
    permission: { webfetch: "deny" },
    permissions: { deny: ["Bash(rm:*)"] },
    disallowedTools: ["Agent"],
  });
  expect(hasError(definition.diagnostics)).toBe(false);
  for (const call of ["WebFetch", "Bash(rm x)", "Agent(x)"])
    expect(outcomeOf(definition, call), call).toBe("deny");
  expect(outcomeOf(definition, "Edit")).toBe("allow");
  expect(parse("codex", { sandbox_mode: "read-only", permission_mode: "auto" })).toMatchObject({
    permissionMode: "read-only",
  });
  expect(parse("cursor", { readonly: true, permissionMode: "dontAsk" })).toMatchObject({
    permissionMode: "plan",
  });
});
