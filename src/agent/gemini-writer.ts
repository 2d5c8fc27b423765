import { asIs, type FormatWriter } from "./format-writer.ts";
import { geminiDefaults } from "./gemini.ts";
import { type ServerWords, writeServerMap } from "./write-servers.ts";
import { type ToolWords, writeToolList, writeWithoutLimited } from "./write-tools.ts";

const words: ToolWords = {
  names: {
    Read: "read_file",
    Edit: "replace",
    Write: "write_file",
    Bash: "run_shell_command",
    Grep: "grep_search",
    Glob: "glob",
    LS: "list_directory",
    WebFetch: "web_fetch",
    Skill: "activate_skill",
  },
  everyMcp: "mcp_*",
  // Its names are put together with `_`, so that a server whose name has one could be another's tool.
  mcp: (server, tool) => (server.includes("_") ? null : `mcp_${server}_${tool}`),
};

const serverWords: ServerWords = {
  allow: "include_tools",
  deny: "exclude_tools",
  timeout: ["timeout", 1000],
  environment: "env",
  headers: "headers",
  url: "httpUrl",
};

const writeTools = writeToolList("tools", words);

/** Gemini CLI's format. */
export const geminiWriter: FormatWriter = {
  extension: ".md",
  defaults: geminiDefaults,
  fields: {
    name: asIs("name"),
    description: asIs("description"),
    tools: writeTools,
    disallowedTools: (denied, context) =>
      context.definition.tools === undefined && denied.length > 0 ? writeTools([], context) : {},
    permissions: writeWithoutLimited(writeTools),
    model: (model, { lose }) => {
      if (model.startsWith("google:")) return { model: model.slice("google:".length) };
      lose(`it has no models but Gemini, so \`${model}\` was left out`);
      return {};
    },
    temperature: asIs("temperature"),
    extensions: (extensions, context) => ({
      mcp_servers: writeServerMap(extensions, serverWords, context),
    }),
    maxTurns: asIs("max_turns"),
    timeoutSeconds: (seconds, { lose }) => {
      const minutes = Math.max(1, Math.ceil(seconds / 60));
      if (minutes * 60 !== seconds) lose(`it counts in minutes: ${minutes * 60} seconds`);
      return { timeout_mins: minutes };
    },
    maxDepth: (depth, { lose }) => {
      if (depth > 0) lose("its sub-agents cannot delegate");
      return {};
    },
  },
};
