import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { AgentDefinition } from "../agent/agent.ts";
import { CadreError } from "../errors.ts";
import type { RunSpec } from "../run/run.ts";
import { findRepository } from "../source/project-root.ts";

/** What is known where a run is given its place. */
export interface PlaceOptions {
  isTrusted: (path: string) => boolean;
  /** The folder of the registry; worktrees lie in it. */
  stateFolder: string;
}

/**
 * Where a run works: in the folder `from`, as whoever asks for it, or in a git worktree of its own, which is made when it begins.
 *
 * @throws CadreError `invalid-argument` outside of a git repository; `not-trusted`, because git executes what a repository's
 * configuration says.
 */
export function placeRun(
  { isTrusted, stateFolder }: PlaceOptions,
  { name, isolation }: AgentDefinition,
  { id, from }: { id: string; from: string },
): Pick<RunSpec, "workspace" | "worktree"> {
  if (isolation === undefined) return { workspace: from };
  const repository = findRepository(from);
  const wants = `Agent ${name} works in a git worktree of its own (\`isolation: worktree\`)`;
  if (repository === undefined) {
    const message = `${wants}, and ${from} is in no git repository. Make one with \`git init\` and a first commit, or take \`isolation\` out of its definition.`;
    throw new CadreError("invalid-argument", message);
  }
  if (!isTrusted(from)) {
    const message = `${wants}; making one executes what the configuration of the repository ${repository} says, and ${from} is not trusted. Type \`cadre trust\` there (or pass --trust for one run).`;
    throw new CadreError("not-trusted", message);
  }
  const root = join(realpathSync(stateFolder), "worktrees", id);
  return { workspace: join(root, relative(repository, from)), worktree: { root, from } };
}
