import { asIs, byTable, type FormatWriter, type WriteContext } from "../write/format-writer.ts";
import type { ToolName } from "../../run/tool-names.ts";
import type { JsonObject } from "../../source/json.ts";
import { writeDenied, writeEntries } from "../native/native-writer.ts";
import { findToolPatterns } from "../write/write-patterns.ts";
import { writeHooks } from "../write/write-hooks.ts";
import { limitedTools, wholeTools } from "../write/write-tools.ts";
import { type ServerWords, writeServer } from "../write/write-servers.ts";

/** The tools of Claude Code. They have the same names in Cadre, except for AskUser. */
const known: ReadonlySet<string> = new Set<ToolName>([
  "Read",
  "Edit",
  "Write",
  "Bash",
  "Grep",
  "Glob",
  "Skill",
  "WebFetch",
  "WebSearch",
  "TodoWrite",
  "AskUser",
  "Agent",
]);

const serverWords: ServerWords = {
  environment: "env",
  headers: "headers",
  url: "url",
  types: ["stdio", "http"],
};

const modes = {
  ask: "default",
  "accept-edits": "acceptEdits",
  plan: "plan",
  // No mode of Claude Code runs commands without letting them write.
  "read-only": "plan",
  deny: "dontAsk",
  auto: "bypassPermissions",
};

/** Writes Claude Code's format. */
export const claudeWriter: FormatWriter = {
  extension: ".md",
  fields: {
    name: asIs("name"),
    description: asIs("description"),
    tools: writeTools,
    disallowedTools: (tools, { definition }) => {
      const denied = writeDenied("disallowedTools", tools.filter(isKnown), definition);
      return denied;
    },
    permissions: (_, { definition, lose }) => {
      const { tools, disallowedTools = [] } = definition;
      if (findToolPatterns(definition) !== null) {
        const isUnlisted = definition.disallowedTools === undefined;
        return isUnlisted ? writeDenied("disallowedTools", [], definition) : {};
      }
      lose("it has no permission rules");
      const limited = tools === undefined ? [...limitedTools(definition)] : [];
      const denied = [...disallowedTools, ...limited].filter(isKnown);
      return limited.length > 0 ? { disallowedTools: [...new Set(denied)] } : {};
    },
    // Written by `tools`, as `Agent(a, b)`.
    agents: () => ({}),
    model: (model, { lose }) => {
      const id = model.replace(/^anthropic:/, "");
      if (/^(?:claude-|opus$|sonnet$|haiku$)/.test(id)) return { model: id };
      lose(`it supports only Claude models, so \`${model}\` was left out`);
      return {};
    },
    effort: asIs("effort"),
    maxTurns: asIs("maxTurns"),
    permissionMode: byTable("permissionMode", modes),
    skills: asIs("skills"),
    memory: asIs("memory"),
    initialPrompt: asIs("initialPrompt"),
    color: asIs("color"),
    instructions: (isOn) => ({ omitClaudeMd: !isOn }),
    extensions: (extensions) => ({
      mcpServers: extensions
        .filter((one) => one !== "*")
        .map((one) =>
          typeof one === "string" ? one : { [one.name]: writeServer(one, serverWords) },
        ),
    }),
    hooks: writeHooks,
    background: asIs("background"),
    isolation: asIs("isolation"),
  },
};

function writeTools(all: readonly string[], context: WriteContext): JsonObject {
  const { definition, lose } = context;
  const tools = findToolPatterns(definition) === null ? wholeTools(context) : all;
  const lost = tools.filter((tool) => !isKnown(tool));
  if (lost.length > 0) lose(`it has no ${lost.join(", ")}`);
  const entries = writeEntries(tools.filter(isKnown), definition);
  const names = definition.agents?.join(", ") ?? "";
  const agents = names === "" ? "Agent" : `Agent(${names})`;
  const renamed = new Map([
    ["Agent", agents],
    ["AskUser", "AskUserQuestion"],
  ]);
  return { tools: entries.map((entry) => renamed.get(entry) ?? entry) };
}

function isKnown(tool: string): boolean {
  return known.has(tool) || tool.startsWith("mcp__");
}
