import type { CodeFormat } from "../format/agent-file-format.ts";
import { deepFolder } from "../format/agent-folder.ts";
import { readProgram } from "./program-agent.ts";

/** The format of agents that are programs: modules whose default export is `defineAgent(…)`. */
export const programFormat: CodeFormat = {
  name: "program",
  folders: [deepFolder(".cadre", "agents")],
  extensions: [".ts", ".mts", ".js", ".mjs"],
  // Programs often have type declarations and tests beside them.
  ignores: (fileName) => /\.(d|test|spec)\.m?[jt]s$/.test(fileName),
  load: readProgram,
};
