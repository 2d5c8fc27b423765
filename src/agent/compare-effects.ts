import { permissionModes, type PermissionMode, type PermissionRules } from "../run/permission.ts";
import { toolNames } from "../run/tool-names.ts";
import type { JsonValue } from "../source/json.ts";
import { type AgentDefinition, defaultMaxTurns } from "./definition/agent.ts";
import type { Loss } from "./write/format-writer.ts";
import { coversTool } from "../run/tool-names.ts";
import { delegatingTools } from "./tools/tool-name.ts";

/** Returns the effect of a definition, field by field. Definitions with different text and the same effect are equal here. */
export function effectsOf(definition: AgentDefinition): Record<string, unknown> {
  const { tools, disallowedTools = [], permissions, background = false, team = false } = definition;
  const { budget } = definition;
  const isDenied = (tool: string): boolean => disallowedTools.some((one) => coversTool(one, tool));
  const isLeaf = definition.maxDepth === 0;
  const given = toolNames
    .filter((tool) => !isDenied(tool) && tools?.includes(tool) !== false)
    .filter((tool) => !isLeaf || !delegatingTools.includes(tool));
  const mayDelegate = given.some((tool) => delegatingTools.includes(tool));
  const servers = (tools ?? ["mcp__*"])
    .filter((tool) => tool.startsWith("mcp__") && !isDenied(tool))
    .sort();
  const denied = disallowedTools
    .filter((tool) => tool.startsWith("mcp__") && servers.length > 0)
    .sort();
  return {
    name: definition.name,
    description: definition.description.trim(),
    systemPrompt: definition.systemPrompt.trim(),
    model: definition.model,
    fallbacks: definition.fallbacks,
    temperature: definition.temperature,
    effort: definition.effort,
    maxTurns: definition.maxTurns ?? defaultMaxTurns,
    timeoutSeconds: definition.timeoutSeconds,
    runner: definition.runner,
    tools: [...given, ...servers, ...denied.map((tool) => `not ${tool}`)],
    agents: mayDelegate ? definition.agents : undefined,
    extensions: definition.extensions,
    skills: definition.skills,
    instructions: definition.instructions ?? true,
    memory: definition.memory,
    initialPrompt: definition.initialPrompt,
    color: definition.color,
    permissionMode: definition.permissionMode,
    permissions: plainRules(permissions),
    isolation: definition.isolation,
    background,
    team,
    maxDepth: mayDelegate ? definition.maxDepth : undefined,
    budget,
    inputSchema: definition.inputSchema,
    outputSchema: definition.outputSchema,
    retry: definition.retry,
    hooks: definition.hooks,
    cache: definition.cache ?? false,
    disabled: definition.disabled ?? false,
  };
}

/** Returns the differences between a definition and the one read from its converted file. */
export function compareEffects(before: AgentDefinition, after: AgentDefinition | null): Loss[] {
  if (after === null) return [{ field: "name", message: "the file would not define an agent" }];
  const was = effectsOf(before);
  const is = effectsOf(after);
  const errors = after.diagnostics.filter(({ severity }) => severity === "error");
  return [
    ...Object.keys(was)
      .filter(
        (field) =>
          field !== "tools" &&
          field !== "hooks" &&
          !field.startsWith("permission") &&
          sorted(was[field]) !== sorted(is[field]),
      )
      .map((field) => ({ field, message: `${show(was[field])} becomes ${show(is[field])}` })),
    ...compareModes(before.permissionMode, after.permissionMode),
    ...comparePermissions(was.permissions, is.permissions, toolsOf(is)),
    ...compareHooks(was.hooks, is.hooks),
    ...compareTools(toolsOf(was), toolsOf(is)),
    ...errors.map(({ code, message }) => ({ field: code, message })),
  ];
}

/** Without a mode an agent has its parent's, which can be `auto`. */
function compareModes(was: PermissionMode = "auto", is: PermissionMode = "auto"): Loss[] {
  if (was === is) return [];
  const isGain = permissionModes.indexOf(is) > permissionModes.indexOf(was);
  const message = isGain
    ? `it does not have the mode \`${was}\`, so it may do more than before`
    : `\`${was}\` becomes \`${is}\``;
  return [{ field: "permissionMode", message, isGain }];
}

function comparePermissions(was: unknown, is: unknown, tools: readonly string[]): Loss[] {
  if (sorted(was) === sorted(is)) return [];
  if (is !== undefined)
    return [{ field: "permissions", message: `${show(was)} becomes ${show(is)}`, isGain: false }];
  const isGain = [...toolsInRules(was)].some((tool) =>
    tools.some((given) => coversTool(tool, given)),
  );
  const message = isGain
    ? `its rules are lost, so it may do more than before: ${show(was)}`
    : "its rules are lost, and so are the tools they limit";
  return [{ field: "permissions", message, isGain }];
}

function toolsInRules(rules: unknown): Set<string> {
  const { allow, ask, deny, ordered = [] } = rules as PermissionRules;
  const all = [...allow, ...ask, ...deny, ...ordered.map(({ rule }) => rule)];
  return new Set(all.map((rule) => rule.replace(/\(.*$/s, "")));
}

/** A lost hook may have been a guard. */
function compareHooks(was: unknown, is: unknown): Loss[] {
  if (sorted(was) === sorted(is)) return [];
  const message =
    is === undefined
      ? `its hooks are lost, so it may do more than before: ${show(was)}`
      : `${show(was)} becomes ${show(is)}`;
  return [{ field: "hooks", message, isGain: was !== undefined }];
}

/** Reports added tools separately, because users have to review them. */
function compareTools(was: readonly string[], is: readonly string[]): Loss[] {
  const lost = was.filter((tool) => !is.includes(tool));
  const gained = is.filter((tool) => !was.includes(tool));
  return [
    ...(lost.length > 0
      ? [{ field: "tools", message: `it does not have ${lost.join(", ")}` }]
      : []),
    ...(gained.length > 0
      ? [
          {
            field: "tools",
            message: `it gains ${gained.join(", ")}`,
            isGain: true,
          },
        ]
      : []),
  ];
}

function toolsOf(effects: Record<string, unknown>): string[] {
  return Array.isArray(effects.tools) ? (effects.tools as string[]) : [];
}

function plainRules(rules: PermissionRules | undefined): unknown {
  const { allow = [], ask = [], deny = [], ordered = [] } = rules ?? {};
  return [allow, ask, deny, ordered].some((list) => list.length > 0)
    ? { allow, ask, deny, ordered }
    : undefined;
}

/** Returns a value as JSON with sorted keys. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: JsonValue) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(
      Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)),
    );
  });
}

function show(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
