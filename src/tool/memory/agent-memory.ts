// Memory: a folder with an agent's notes, which outlive its runs.

import { join, relative, sep } from "node:path";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { findProjectRoot } from "../../source/file/project-root.ts";
import { isInside, realPathOf } from "../../source/file/real-path.ts";

/** The folder of an agent's memory. */
export interface AgentMemory {
  /** Absolute, symlinks resolved. It may not exist yet. */
  folder: string;
}

/** The folders of memories, and the trusted folders. */
export interface MemoryFolders {
  /** The folder Cadre was opened for; absolute. */
  cwd: string;
  /** The user's home folder, absolute. */
  home: string;
  isTrusted: (path: string) => boolean;
}

/** The folders of Claude Code, so that both programs share an agent's memory. */
const folders = {
  user: ".claude/agent-memory",
  project: ".claude/agent-memory",
  local: ".claude/agent-memory-local",
} as const;

/**
 * Returns the memory of an agent, or why it cannot be used; `undefined` for an agent without one. A definition in an untrusted
 * folder gets none: it could read and change the notes of the user's own agent with the same name.
 */
export function findMemory(
  { name, memory: scope, source }: Pick<AgentDefinition, "name" | "memory" | "source">,
  { cwd, home, isTrusted }: MemoryFolders,
): AgentMemory | { problem: string } | undefined {
  if (scope === undefined) return undefined;
  const base = realPathOf(scope === "user" ? home : findProjectRoot({ cwd, home }));
  const head = `Agent ${name} runs without its memory (${scope})`;
  const places = source.scope === "project" && source.path !== null ? [source.path] : [];
  const untrusted = [...places, ...(scope === "user" ? [] : [base])].find(
    (path) => !isTrusted(path),
  );
  if (untrusted !== undefined) {
    return {
      problem: `${head}: ${untrusted} is not in a trusted folder. Trust it with \`cadre trust\`.`,
    };
  }
  const folder = realPathOf(join(base, folders[scope], toFolderName(name)));
  if (isInside(folder, base)) return { folder };
  return { problem: `${head}: its folder leads to ${folder}, outside of ${base}.` };
}

/** Agent names may contain any character. */
function toFolderName(name: string): string {
  return name.replaceAll(/[^\w-]/g, "-");
}

/**
 * Reports whether a path (absolute, symlinks resolved) is a file that an agent may keep in its memory: Markdown, and not a hidden
 * file that a program would look for.
 */
export function isMemoryFile(path: string, memory: AgentMemory | undefined): boolean {
  if (memory === undefined || !isInside(path, memory.folder) || !path.endsWith(".md")) return false;
  return !relative(memory.folder, path)
    .split(sep)
    .some((name) => name.startsWith("."));
}
