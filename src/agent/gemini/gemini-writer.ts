import { asIs, type FormatWriter } from "../write/format-writer.ts";
import { geminiName } from "./gemini.ts";
import { type ServerWords, writeServerMap } from "../write/write-servers.ts";
import { type ToolWords, writeToolsOnly } from "../write/write-tools.ts";

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
    WebSearch: "google_web_search",
    TodoWrite: "write_todos",
    AskUser: "ask_user",
    Skill: "activate_skill",
  },
  everyMcp: "mcp_*",
  // Gemini CLI joins names with `_`. A `_` in the server's name would make the result ambiguous.
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

/** Writes Gemini CLI's format. */
export const geminiWriter: FormatWriter = {
  extension: ".md",
  takesName: (name) => geminiName.test(name),
  fields: {
    name: asIs("name"),
    description: asIs("description"),
    ...writeToolsOnly(words),
    model: (model, { lose }) => {
      if (model.startsWith("google:")) return { model: model.slice("google:".length) };
      lose(`it supports only Gemini models, so \`${model}\` was left out`);
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
