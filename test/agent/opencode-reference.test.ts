import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import type { AgentDefinition } from "../../src/agent/definition/agent.ts";
import { convertAgent } from "../../src/agent/convert.ts";
import { parseNative } from "../../src/agent/native/native.ts";
import { parseOpenCode } from "../../src/agent/opencode/opencode.ts";
import { selectTools } from "../../src/engine/tool-call/select-tools.ts";
import { toolNames } from "../../src/run/tool-names.ts";
import { decide } from "../../src/tool/permission/permission.ts";
import type { ToolAccess } from "../../src/tool/tool.ts";
import { createTestTool } from "../fixtures/engine-fixture.ts";
import { samples } from "../is-long.ts";

/*
 * A model of OpenCode's permissions, written from its documentation and not from the code under test. Rules are in
 * order, and the last matching rule counts. `*` is anything, `?` one character, and a last ` *` also nothing. Writing and
 * patching need `edit`. A switch of `tools` is a rule, and `permission` replaces the same key of it.
 */
type Effect = "allow" | "ask" | "deny";
interface Rule {
  action: string;
  resource: string;
  effect: Effect;
}
type Switches = readonly (readonly [action: string, isOn: boolean])[];
type Effects = readonly (readonly [
  action: string,
  effect: Effect | readonly (readonly [resource: string, effect: Effect])[],
])[];
type Written = Readonly<Record<string, Effect | Readonly<Record<string, Effect>>>>;
const strictness = { allow: 0, ask: 1, deny: 2 } as const;

function matches(pattern: string, text: string): boolean {
  const written = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  const source = written.replaceAll("*", ".*").replaceAll("?", ".");
  return new RegExp(`^${source.replace(/ \.\*$/, "( .*)?")}$`, "s").test(text);
}

function judge(rules: readonly Rule[], action: string, resource: string): Effect {
  const last = rules.findLast(
    (rule) => matches(rule.action, action) && matches(rule.resource, resource),
  );
  return last?.effect ?? "allow";
}

function looser(first: Effect, second: Effect): Effect {
  return strictness[first] < strictness[second] ? first : second;
}

/** The rules of both maps, in written order and as newer versions sort them, with wildcards first. */
function readings(tools: Switches, permission: Effects): Rule[][] {
  const merged = new Map<string, Rule[]>();
  for (const [action, isOn] of tools) {
    const needed = ["write", "patch"].includes(action) ? "edit" : action;
    merged.set(needed, [{ action: needed, resource: "*", effect: isOn ? "allow" : "deny" }]);
  }
  for (const [action, value] of permission) {
    const effects = typeof value === "string" ? ([["*", value]] as const) : value;
    const rules = effects.map(([resource, effect]) => ({ action, resource, effect }));
    merged.set(action, rules);
  }
  const written = [...merged.values()].flat();
  const isWild = ({ action }: Rule): boolean => action.includes("*");
  return [written, [...written.filter(isWild), ...written.filter((rule) => !isWild(rule))]];
}

function toEffects(permission: Written): Effects {
  return Object.entries(permission).map(([action, effect]) => [
    action,
    typeof effect === "string" ? effect : Object.entries(effect),
  ]);
}

/** The permission each tool requests, in the versions with maps and in the one with a list. */
const actions: Readonly<Record<string, readonly [map: string, list: string]>> = {
  Read: ["read", "read"],
  LS: ["list", "read"],
  Edit: ["edit", "edit"],
  Write: ["edit", "edit"],
  Bash: ["bash", "shell"],
  WebFetch: ["webfetch", "webfetch"],
  Skill: ["skill", "skill"],
  Agent: ["task", "subagent"],
  sessions_spawn: ["task", "subagent"],
};
const paths = ["a.md", "src/a.md", "src/deep/b.ts", "lib/src", "srcs/c", ".env", "src/.env"];
const subjects: Readonly<Record<string, readonly string[]>> = {
  Bash: ["git", "git status", "git push -f", "rm -rf x", "ls"],
  WebFetch: ["https://a.test/x", "https://b.test/"],
  Skill: ["pdf", "team-x"],
  Agent: ["reviewer", "team-x", "other"],
  sessions_spawn: ["reviewer", "team-x", "other"],
};
const accesses: Readonly<Record<string, ToolAccess>> = {
  Edit: "edit",
  Write: "edit",
  Bash: "execute",
  WebFetch: "network",
  Agent: "delegate",
  sessions_spawn: "delegate",
};

const offered = toolNames.map((name) => createTestTool(name, () => ""));

function parse(header: object): AgentDefinition {
  const text = `---\n${JSON.stringify({ description: "d", ...header })}\n---\nBody.`;
  const definition = parseOpenCode({ path: "/p/a.md", text, scope: "project" });
  if (definition === null) throw new Error("expected a definition");
  return definition;
}

function effectOf(definition: AgentDefinition, tool: string, subject: string): Effect {
  const { agents, permissionMode = "auto", maxDepth } = definition;
  const { permissions: rules = { allow: [], ask: [], deny: [] } } = definition;
  if (!selectTools(offered, definition, { parentTools: null }).tools.has(tool)) return "deny";
  const access = accesses[tool] ?? "read";
  if (access === "delegate" && maxDepth === 0) return "deny";
  if (access === "delegate" && agents?.includes(subject) === false) return "deny";
  const isSkill = tool === "Skill";
  const isFile = subjects[tool] === undefined || isSkill;
  const path = isSkill ? `.claude/skills/${subject}/SKILL.md` : subject;
  const call = {
    tool,
    access,
    subject: path,
    paths: isFile ? [`/p/${path}`] : null,
    workspace: "/p",
  };
  return decide([{ mode: permissionMode, rules }], call).decision;
}

function expectNoMore(definition: AgentDefinition, rules: readonly Rule[], at: 0 | 1): void {
  for (const [tool, names] of Object.entries(actions)) {
    for (const subject of subjects[tool] ?? paths) {
      // Without a tool for listing, the reading tool lists.
      const others = tool === "LS" ? [judge(rules, "read", subject)] : [];
      const there = [judge(rules, names[at], subject), ...others].reduce(looser);
      const here = effectOf(definition, tool, subject);
      const place = `${tool}(${subject}): ${there} in OpenCode, ${here} here`;
      expect(strictness[here], place).toBeGreaterThanOrEqual(strictness[there]);
    }
  }
}

const words = "* * edit edit write patch multiedit read webfetch skill e* *t* ?dit".split(" ");
const action = fc.constantFrom(...words, "bash", "task", "list");
const effect = fc.constantFrom("allow" as const, "ask" as const, "deny" as const);
const resource = fc.constantFrom(
  ..."*,**,src/*,src*,*.md,src/*.md,*/a.md,**/a.md,s*c/*,*.env,?.md,git *,git status,git push*,rm *,* -rf *,pdf,team-*,https://a.test/*,reviewer".split(
    ",",
  ),
);
const patterns = fc.uniqueArray(fc.tuple(resource, effect), {
  minLength: 1,
  maxLength: 4,
  selector: ([pattern]) => pattern,
});
const switches = fc.uniqueArray(fc.tuple(action, fc.boolean()), {
  maxLength: 6,
  selector: ([name]) => name,
});
const effects = fc.uniqueArray(fc.tuple(action, fc.oneof(effect, effect, patterns)), {
  maxLength: 6,
  selector: ([name]) => name,
});

describe("an agent of OpenCode never has more rights in Cadre than in OpenCode", () => {
  test("whatever the order of its switches and permissions, of versions that sort them and others", () => {
    fc.assert(
      fc.property(switches, effects, (tools, permission) => {
        const map = permission.map(([name, value]) => [
          name,
          typeof value === "string" ? value : Object.fromEntries(value),
        ]);
        const definition = parse({
          tools: Object.fromEntries(tools),
          permission: Object.fromEntries(map) as object,
        });
        for (const rules of readings(tools, permission)) expectNoMore(definition, rules, 0);
      }),
      { numRuns: samples(150) },
    );
  });

  test("whatever the order of the rules in a list", () => {
    const listed = fc.record({
      action: fc.constantFrom(...words, "shell", "subagent"),
      resource: fc.oneof(fc.constant("*"), resource),
      effect,
    });
    fc.assert(
      fc.property(fc.array(listed, { maxLength: 7 }), (rules) => {
        expectNoMore(parse({ permissions: rules }), rules, 1);
      }),
      { numRuns: samples(150) },
    );
  });
});

describe("an agent written for OpenCode", () => {
  const tool = fc.constantFrom(...Object.keys(actions));
  const entry = fc.oneof(
    tool,
    fc.constantFrom(
      "Bash(git:*)",
      "Bash(git status)",
      "Read(src/**)",
      "Edit(src/*.md)",
      "Bash(rm:*)",
    ),
  );
  const lists = fc.record(
    {
      tools: fc.uniqueArray(entry, { maxLength: 6 }),
      disallowed_tools: fc.uniqueArray(entry, { maxLength: 3 }),
      permission_mode: fc.constantFrom("plan" as const, "auto" as const),
      max_depth: fc.constantFrom(0, 1),
    },
    { requiredKeys: [] },
  );

  test("has no more rights in OpenCode than in Cadre, unless a finding says so", () => {
    fc.assert(
      fc.property(lists, (header) => {
        const text = `---\n${JSON.stringify({ name: "a", description: "d", ...header })}\n---\nBody.`;
        const definition = parseNative({ path: "/p/a.md", text, scope: "project" });
        const { text: written, lost } = convertAgent(definition, "opencode");
        if (lost.some(({ field, isGain }) => isGain === true || field === "permissions")) return;
        const keys = parseYaml(written.split("---\n")[1] ?? "") as { permission?: Written };
        for (const rules of readings([], toEffects(keys.permission ?? {}))) {
          for (const [name, [needed]] of Object.entries(actions)) {
            const isLeaf = name === "Agent" || name === "sessions_spawn";
            // In OpenCode, a sub-agent delegates only if its rules mention that.
            if (isLeaf && keys.permission?.task === undefined) continue;
            for (const subject of subjects[name] ?? paths) {
              const here = effectOf(definition, name, subject);
              const there = judge(rules, needed, subject);
              const place = `${name}(${subject}): ${here} here, ${there} in OpenCode of\n${written}`;
              expect(strictness[there], place).toBeGreaterThanOrEqual(strictness[here]);
            }
          }
        }
      }),
      { numRuns: samples(150) },
    );
  });
});
