import { asIs, type FormatWriter } from "./format-writer.ts";
import { writeDisplayModel } from "./write-model.ts";
import { type ServerWords, writeServerMap } from "./write-servers.ts";
import { type ToolWords, writeToolList, writeWithoutLimited } from "./write-tools.ts";

const words: ToolWords = {
  groups: [
    ["edit", ["Edit", "Write"]],
    ["search", ["Grep", "Glob"]],
  ],
  names: {
    Read: "read",
    Write: "edit/createFile",
    Bash: "execute",
    Grep: "search/textSearch",
    Glob: "search/fileSearch",
    LS: "search/listDirectory",
    WebFetch: "web/fetch",
    Agent: "agent",
  },
  mcp: (server, tool) => `${server}/${tool}`,
};

const serverWords: ServerWords = {
  allow: "tools",
  environment: "env",
  headers: "headers",
  url: "url",
  types: ["local", "http"],
};

const writeTools = writeToolList("tools", words);

/** The format of Copilot and VS Code. */
export const copilotWriter: FormatWriter = {
  extension: ".agent.md",
  fields: {
    name: asIs("name"),
    description: asIs("description"),
    tools: writeTools,
    disallowedTools: (denied, context) =>
      context.definition.tools === undefined && denied.length > 0 ? writeTools([], context) : {},
    permissions: writeWithoutLimited(writeTools),
    agents: asIs("agents"),
    model: writeDisplayModel,
    extensions: (extensions, context) => ({
      "mcp-servers": writeServerMap(extensions, serverWords, context),
    }),
  },
};
