import { basename, join, sep } from "node:path";
import type { AgentFormat } from "./agent.ts";

/** A kind of folder that definitions are found in. Paths are relative, in the machine's own separators. */
export interface AgentFolder {
  format: AgentFormat;
  /** Below a project's folder. */
  path: string;
  /** Below the user's home. */
  userPath: string;
  /** Definitions may lie in folders below it. */
  isDeep: boolean;
  /** File extensions, with the dot. */
  extensions: readonly string[];
}

const markdown = [".md"];
const programs = [".ts", ".mts", ".js", ".mjs"];

/** Every kind of folder, in order of precedence. */
export const agentFolders: readonly AgentFolder[] = [
  deep("cadre", [".cadre", "agents"], markdown),
  deep("program", [".cadre", "agents"], programs),
  flat("acai", [".acai", "subagents"]),
  deep("claude", [".claude", "agents"], markdown),
  { ...deep("opencode", [".opencode", "agent"], markdown), userPath: openCodeHome("agent") },
  { ...deep("opencode", [".opencode", "agents"], markdown), userPath: openCodeHome("agents") },
  { ...flat("copilot", [".github", "agents"]), userPath: join(".copilot", "agents") },
  flat("gemini", [".gemini", "agents"]),
  deep("codex", [".codex", "agents"], [".toml"]),
  flat("cursor", [".cursor", "agents"]),
];

/** Whether a file name is one that a folder's format is read from. */
export function belongsTo(name: string, { format, extensions }: AgentFolder): boolean {
  if (!extensions.some((extension) => name.endsWith(extension))) return false;
  // Gemini CLI passes over files that begin so: parts and drafts.
  return !isBesides(name) && !(format === "gemini" && name.startsWith("_"));
}

/** Files that lie beside program agents and are none: type declarations and tests. */
function isBesides(name: string): boolean {
  return /\.(d|test|spec)\.m?[jt]s$/.test(name);
}

/** The kinds of folder that a path lies in. */
export function foldersOf(path: string): AgentFolder[] {
  return agentFolders.filter((folder) =>
    [folder.path, folder.userPath].some((one) => `${path}${sep}`.includes(`${sep}${one}${sep}`)),
  );
}

/** The name of an OpenCode file: folders below the folder of agents are a part of it. */
export function nameInFolder(path: string): string | null {
  for (const folder of foldersOf(path)) {
    for (const one of [folder.path, folder.userPath]) {
      const at = path.lastIndexOf(`${sep}${one}${sep}`);
      if (at === -1) continue;
      const below = path.slice(at + one.length + 2).split(sep);
      return [...below.slice(0, -1), basename(path).replace(/\.[^.]+$/, "")].join("/");
    }
  }
  return null;
}

function deep(format: AgentFormat, path: string[], extensions: readonly string[]): AgentFolder {
  return { format, path: join(...path), userPath: join(...path), isDeep: true, extensions };
}

function flat(format: AgentFormat, path: string[]): AgentFolder {
  return { ...deep(format, path, markdown), isDeep: false };
}

function openCodeHome(name: string): string {
  return join(".config", "opencode", name);
}
