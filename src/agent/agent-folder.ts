import { join, sep } from "node:path";
import type { AgentFormat } from "./agent.ts";

/** A kind of folder that definitions are found in, below a project's folder or the user's home. */
export interface AgentFolder {
  format: AgentFormat;
  /** Relative, in the machine's own separators. */
  path: string;
  /** Definitions may lie in folders below it. */
  isDeep: boolean;
  /** File extensions, with the dot. */
  extensions: readonly string[];
}

/** Every kind of folder, in order of precedence (SPEC 1.2). */
export const agentFolders: readonly AgentFolder[] = [
  { format: "cadre", path: join(".cadre", "agents"), isDeep: true, extensions: [".md"] },
  {
    format: "program",
    path: join(".cadre", "agents"),
    isDeep: true,
    extensions: [".ts", ".mts", ".js", ".mjs"],
  },
  { format: "acai", path: join(".acai", "subagents"), isDeep: false, extensions: [".md"] },
  { format: "claude", path: join(".claude", "agents"), isDeep: true, extensions: [".md"] },
];

/** Whether a file name is one that a folder's format is read from. */
export function belongsTo(name: string, { extensions }: AgentFolder): boolean {
  return extensions.some((extension) => name.endsWith(extension)) && !isBesides(name);
}

/** Files that lie beside program agents and are none: type declarations and tests. */
function isBesides(name: string): boolean {
  return /\.(d|test|spec)\.m?[jt]s$/.test(name);
}

/** The kinds of folder that a path lies in. */
export function foldersOf(path: string): AgentFolder[] {
  return agentFolders.filter((folder) => `${path}${sep}`.includes(`${sep}${folder.path}${sep}`));
}
