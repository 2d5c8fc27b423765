import { relative, sep } from "node:path";
import { isInside } from "./path-confinement.ts";

/**
 * What in a workspace decides about rights or is executed on its own, relative to any folder of it. An agent that
 * could write these could raise its own rights or run code outside its sandbox.
 */
export const protectedPaths: readonly string[] = [
  ".git/hooks",
  ".git/config",
  ".cadre/state",
  ".cadre/config.yaml",
  ".cadre/config.yml",
  ".cadre/agents",
  ".cadre/recipes",
  ".cadre/skills",
  ".cadre/trusted.json",
  ".acai/subagents",
  ".acai/skills",
  ".claude/agents",
  ".claude/skills",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".opencode/agent",
  ".opencode/agents",
  ".github/agents",
  ".gemini/agents",
  ".codex/agents",
  ".codex/config.toml",
  ".cursor/agents",
  ".goose/recipes",
  ".aipack/config.toml",
  ".aipack/custom",
  ".aipack/pack",
  ".mcp.json",
];

/** Whether writing `path` (absolute, resolved) needs a question of its own, whatever the mode allows. */
export function isProtectedPath(path: string, workspace: string): boolean {
  const inner = isInside(path, workspace) ? relative(workspace, path) : path;
  // Some file systems do not tell `.Git` from `.git`.
  const below = `/${inner.split(sep).join("/").toLowerCase()}/`;
  return below === "/.git/" || protectedPaths.some((name) => below.includes(`/${name}/`));
}
