import type { PermissionRules } from "../../run/permission.ts";
import type { JsonObject } from "../../source/json.ts";
import type { AgentDefinition } from "../definition/agent.ts";
import { isAgentName, maxDescriptionCharacters } from "../fields/common-fields.ts";
import { asIs, type FormatWriter, type WriteContext } from "../write/format-writer.ts";
import { findToolPatterns } from "../write/write-patterns.ts";
import { writeHooks } from "../write/write-hooks.ts";
import { writeRetry } from "../write/write-retry.ts";
import { type ServerWords, writeServer } from "../write/write-servers.ts";
import { omitUndefined } from "../../omit-undefined.ts";

const serverWords: ServerWords = {
  allow: "allow",
  deny: "deny",
  timeout: ["timeout_seconds", 1],
  environment: "environment",
  environmentKeys: "environment_keys",
  headers: "headers",
  url: "url",
};

/** Writes Cadre's own format. */
export const nativeWriter: FormatWriter = {
  extension: ".md",
  takesName: isAgentName,
  maxDescriptionCharacters,
  fillsTask: true,
  fields: {
    name: asIs("name"),
    description: asIs("description"),
    model: asIs("model"),
    fallbacks: asIs("fallbacks"),
    temperature: asIs("temperature"),
    effort: asIs("effort"),
    maxTurns: asIs("max_turns"),
    timeoutSeconds: writeTimeout,
    runner: asIs("runner"),
    tools: (tools, { definition }) => ({ tools: writeEntries(tools, definition) }),
    disallowedTools: (tools, { definition }) => writeDenied("disallowed_tools", tools, definition),
    agents: asIs("agents"),
    extensions: (extensions) => ({
      extensions: extensions.map((one) =>
        typeof one === "string" ? one : { [one.name]: writeServer(one, serverWords) },
      ),
    }),
    skills: asIs("skills"),
    instructions: asIs("instructions"),
    memory: asIs("memory"),
    initialPrompt: asIs("initial_prompt"),
    color: asIs("color"),
    permissionMode: asIs("permission_mode"),
    permissions: writePermissions,
    isolation: asIs("isolation"),
    background: asIs("background"),
    team: asIs("team"),
    maxDepth: asIs("max_depth"),
    budget: ({ wallSeconds, toolCalls, ...budget }) => ({
      budget: {
        ...budget,
        ...omitUndefined({ wall_seconds: wallSeconds, tool_calls: toolCalls }),
      },
    }),
    inputSchema: asIs("input_schema"),
    outputSchema: asIs("output_schema"),
    retry: (retry) => ({ retry: writeRetry(retry) }),
    hooks: writeHooks,
    cache: asIs("cache"),
    disabled: asIs("disabled"),
  },
};

/** Writes a timeout other than the default, within the bounds of the format. */
export function writeTimeout(seconds: number, { lose }: WriteContext): JsonObject {
  if (seconds === 300) return {};
  const timeout = Math.min(Math.max(seconds, 1), 3600);
  if (timeout !== seconds) lose(`its timeouts range from 1 to 3600 seconds; it became ${timeout}`);
  return { timeout };
}

/** Returns the entries of a tool list, with the patterns that its permission rules came from. */
export function writeEntries(tools: readonly string[], definition: AgentDefinition): string[] {
  const patterns = findToolPatterns(definition);
  return tools.flatMap((tool) => {
    const own = patterns?.patternsOf(tool) ?? [];
    return own.length === 0 ? [tool] : own.map((pattern) => `${tool}(${pattern})`);
  });
}

/** Writes the list of denied tools, with the patterns that its permission rules came from. */
export function writeDenied(
  key: string,
  tools: readonly string[],
  definition: AgentDefinition,
): JsonObject {
  const denied = [...tools, ...(findToolPatterns(definition)?.denied ?? [])];
  return denied.length === 0 ? {} : { [key]: denied };
}

function writePermissions(rules: PermissionRules, { definition }: WriteContext): JsonObject {
  const patterns = findToolPatterns(definition);
  if (patterns !== null) {
    // A list of denied tools has its own writer, which writes them.
    const isUnlisted = definition.disallowedTools === undefined;
    return isUnlisted ? writeDenied("disallowed_tools", [], definition) : {};
  }
  const lists = (["allow", "ask", "deny"] as const).flatMap((name) =>
    rules[name].length === 0 ? [] : [[name, [...rules[name]]] as const],
  );
  const ordered = (rules.ordered ?? []).map(({ decision, rule }) => ({ [decision]: rule }));
  const all = { ...Object.fromEntries(lists), ...(ordered.length > 0 && { ordered }) };
  return Object.keys(all).length === 0 ? {} : { permissions: all };
}
