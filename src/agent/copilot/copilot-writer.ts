import type { JsonObject } from "../../source/json.ts";
import { asIs, type FormatWriter, type WriteContext } from "../write/format-writer.ts";
import { writeDisplayModel } from "../write/write-model.ts";
import { type ServerWords, writeServerMap } from "../write/write-servers.ts";
import { type ToolWords, writeToolsOnly } from "../write/write-tools.ts";

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
    TodoWrite: "todo",
    AskUser: "vscode/askQuestions",
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

/** Writes the format of Copilot and VS Code. */
export const copilotWriter: FormatWriter = {
  extension: ".agent.md",
  fields: {
    name: asIs("name"),
    description: asIs("description"),
    ...writeToolsOnly(words),
    agents: asIs("agents"),
    model: writeModels,
    // Written together with the model.
    fallbacks: () => ({}),
    extensions: (extensions, context) => ({
      "mcp-servers": writeServerMap(extensions, serverWords, context),
    }),
  },
};

/** Writes a list of models when there are fallbacks. */
function writeModels(model: string, context: WriteContext): JsonObject {
  const { fallbacks = [] } = context.definition;
  const all = [model, ...fallbacks].map((one) => writeDisplayModel(one, context).model);
  const known = all.filter((one) => typeof one === "string");
  if (known.length === 0) return {};
  return { model: known.length === 1 ? (known[0] ?? "") : known };
}
