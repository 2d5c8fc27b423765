import type { OrderedRule, PermissionMode } from "../../run/permission.ts";
import { type ToolName, toolNames } from "../../run/tool-names.ts";
import type { JsonObject } from "../../source/json.ts";
import type { AgentDefinition } from "../definition/agent.ts";
import { asIs, type FormatWriter, type WriteContext } from "../write/format-writer.ts";

/** OpenCode's permission for each tool. Some tools share one. */
const actions: Partial<Record<ToolName, string>> = {
  Read: "read",
  Grep: "grep",
  Glob: "glob",
  LS: "list",
  DirectoryTree: "list",
  Edit: "edit",
  Write: "edit",
  Bash: "bash",
  WebFetch: "webfetch",
  WebSearch: "websearch",
  TodoWrite: "todowrite",
  AskUser: "question",
  Skill: "skill",
  Agent: "task",
  Subagent: "task",
  sessions_spawn: "task",
};

/** Writes OpenCode's format in the older generation, which all versions of OpenCode read. */
export const openCodeWriter: FormatWriter = {
  extension: ".md",
  fields: {
    name: asIs("name"),
    description: (description, { definition }) => ({
      description,
      mode: "subagent",
      // The writer of another field replaces this with all permissions.
      ...(delegates(definition) && { permission: { task: "allow" } }),
    }),
    model: (model, { lose }) => {
      if (model.includes(":")) return { model: model.replace(":", "/") };
      lose(`\`${model}\` is an alias of Cadre and was left out`);
      return {};
    },
    temperature: asIs("temperature"),
    effort: asIs("reasoningEffort"),
    maxTurns: asIs("steps"),
    tools: (_, context) => writePermission(context),
    disallowedTools: (_, context) => writePermission(context),
    agents: (_, context) => writePermission(context),
    permissions: (rules, context) => {
      if (rules.allow.length > 0) context.lose("rules that only allow are not written");
      return writePermission(context);
    },
    permissionMode: (mode, context) => {
      context.lose(
        onlyReads(mode)
          ? "it is written as denied edits and commands"
          : `it has no equivalent of \`${mode}\``,
      );
      return onlyReads(mode) ? writePermission(context) : {};
    },
    maxDepth: (depth, { lose }) => {
      if (depth !== 0) lose("it can only forbid delegating, not limit its depth");
      return {};
    },
    disabled: asIs("disable"),
  },
};

/** Writes all permissions at once, for any field, because the order of the entries counts. */
function writePermission({ definition, lose }: WriteContext): JsonObject {
  const { tools, disallowedTools = [], agents, permissionMode } = definition;
  const permission: JsonObject = tools === undefined ? {} : { "*": "deny" };
  for (const tool of tools ?? []) allow(permission, tool, lose);
  limit(permission, definition, lose);
  if (agents !== undefined && permission.task !== "deny") {
    permission.task = Object.fromEntries([
      ["*", "deny"],
      ...agents.map((name) => [name, "allow"]),
    ]) as JsonObject;
  }
  const denied = [
    ...disallowedTools,
    ...(onlyReads(permissionMode) ? ["Edit", "Write", "Bash"] : []),
  ];
  for (const tool of denied) permission[actionOf(tool) ?? tool] = "deny";
  keepApart(permission, definition, lose);
  // OpenCode's sub-agents delegate only if a permission names that action.
  if (definition.maxDepth === 0) delete permission.task;
  else if (delegates(definition)) permission.task ??= "allow";
  return { permission };
}

/** Reports whether a mode only reads. OpenCode has no sandbox, so such agents run no commands there. */
function onlyReads(mode: PermissionMode | undefined): boolean {
  return mode === "plan" || mode === "read-only";
}

/** Reports whether an agent may delegate by default. */
function delegates({ tools, maxDepth }: AgentDefinition): boolean {
  return tools === undefined && maxDepth !== 0;
}

function allow(permission: JsonObject, tool: string, lose: WriteContext["lose"]): void {
  const action = actionOf(tool);
  if (action === null) lose(`it has no name for ${tool}, which was left out`);
  else permission[action] = "allow";
}

/** Handles tools that share a permission. A permission that not all of them have is given to none, or is reported. */
function keepApart(
  permission: JsonObject,
  definition: AgentDefinition,
  lose: WriteContext["lose"],
): void {
  const { tools = toolNames, disallowedTools = [] } = definition;
  const has = (tool: ToolName): boolean => tools.includes(tool) && !disallowedTools.includes(tool);
  if (has("Edit") !== has("Write")) {
    permission.edit = "deny";
    lose("it has one permission for Edit and Write, so neither is given");
  }
  if (definition.tools !== undefined && has("Read") && !has("LS") && !has("DirectoryTree"))
    permission.list = "deny";
}

/**
 * Returns OpenCode's action for a tool: `server_tool` for `mcp__server__tool`. A server with `_` in its name is ambiguous and has
 * no action.
 */
function actionOf(tool: string): string | null {
  const own = actions[tool as ToolName];
  if (own !== undefined) return own;
  if (tool === "mcp__*") return "mcp*";
  const [, server, rest] = /^mcp__([A-Za-z0-9.-]+)_{1,2}([\w*-]*)$/.exec(tool) ?? [];
  return server === undefined ? null : `${server}_${rest}`;
}

function limit(
  permission: JsonObject,
  { permissions }: AgentDefinition,
  lose: WriteContext["lose"],
): void {
  const { ask = [], deny = [], ordered = [] } = permissions ?? {};
  const rules = [
    ...ordered,
    ...ask.map((rule): OrderedRule => ({ decision: "ask", rule })),
    ...deny.map((rule): OrderedRule => ({ decision: "deny", rule })),
  ];
  const bases = new Set(rules.flatMap(({ rule }) => (rule.includes("(") ? [] : [rule])));
  for (const { decision, rule } of rules) {
    const [, tool = rule, pattern] = /^([\w*.-]+)\((.*)\)$/s.exec(rule) ?? [];
    const action = actionOf(tool);
    const resource = pattern === undefined ? "*" : toResource(tool, pattern, decision);
    // Limits that follow from a related tool are derived again when the file is read.
    if (decision === "allow" && pattern !== undefined && !bases.has(tool)) continue;
    if (action === null || resource === null) lose(`\`${decision} ${rule}\` cannot be written`);
    else add(permission, action, resource, decision);
  }
}

function add(permission: JsonObject, action: string, resource: string, effect: string): void {
  const known = permission[action];
  const entries = typeof known === "object" && known !== null && !Array.isArray(known) ? known : {};
  if (typeof known === "string" && resource !== "*") entries["*"] = known;
  // The last entry counts, even if a key is written twice.
  delete entries[resource];
  permission[action] = { ...entries, [resource]: effect };
}

/** Returns OpenCode's pattern, in which `*` also matches `/`; `null` if it would allow more. */
function toResource(
  tool: string,
  pattern: string,
  decision: OrderedRule["decision"],
): string | null {
  if (pattern.includes("\\") || (decision === "allow" && /[?[\]{}!+@|]/.test(pattern))) return null;
  if (tool === "Bash") return pattern.replace(/:\*$/, " *");
  const isFile = ["Read", "Edit", "Write", "Grep", "Glob", "LS", "DirectoryTree"].includes(tool);
  if (!isFile || decision !== "allow") return pattern;
  return /^(?:\*\*\/)?[^*]*(?:\/\*\*)?$/.test(pattern) || /^\*\*\/[^/]*$/.test(pattern)
    ? pattern
    : null;
}
