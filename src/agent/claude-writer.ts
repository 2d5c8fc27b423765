import { asIs, byTable, type FormatWriter, type WriteContext } from "./format-writer.ts";
import type { ToolName } from "../run/tool-names.ts";
import type { JsonObject } from "../source/json.ts";
import { writeDenied, writeEntries } from "./native-writer.ts";
import { findToolPatterns } from "./write-patterns.ts";
import { type ServerWords, writeServer } from "./write-servers.ts";

/** Those that Claude Code has too, under the same names. */
const known: ReadonlySet<string> = new Set<ToolName>([
  "Read",
  "Edit",
  "Write",
  "Bash",
  "Grep",
  "Glob",
  "Skill",
  "WebFetch",
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
  deny: "dontAsk",
  auto: "bypassPermissions",
};

/** Claude Code's format. */
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
      if (findToolPatterns(definition) === null) lose("it has no permission rules");
      return definition.disallowedTools === undefined
        ? writeDenied("disallowedTools", [], definition)
        : {};
    },
    // Written with the tools.
    agents: () => ({}),
    model: (model, { lose }) => {
      const id = model.replace(/^anthropic:/, "");
      if (/^(?:claude-|opus$|sonnet$|haiku$)/.test(id)) return { model: id };
      lose(`it has no models but Claude's, so \`${model}\` was left out`);
      return {};
    },
    effort: asIs("effort"),
    maxTurns: asIs("maxTurns"),
    permissionMode: byTable("permissionMode", modes),
    skills: asIs("skills"),
    extensions: (extensions) => ({
      mcpServers: extensions.map((one) =>
        typeof one === "string" ? one : { [one.name]: writeServer(one, serverWords) },
      ),
    }),
    background: asIs("background"),
    isolation: asIs("isolation"),
  },
};

function writeTools(tools: readonly string[], { definition, lose }: WriteContext): JsonObject {
  const lost = tools.filter((tool) => !isKnown(tool));
  if (lost.length > 0) lose(`it has no ${lost.join(", ")}`);
  const entries = writeEntries(tools.filter(isKnown), definition);
  const names = definition.agents?.join(", ") ?? "";
  const agents = names === "" ? "Agent" : `Agent(${names})`;
  return { tools: entries.map((entry) => (entry === "Agent" ? agents : entry)) };
}

function isKnown(tool: string): boolean {
  return known.has(tool) || tool.startsWith("mcp__");
}
