import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { AgentDefinition } from "../agent/agent.ts";
import { CadreError } from "../errors.ts";
import type { RunSpec } from "../run/run.ts";
import { findRepository } from "../source/project-root.ts";

/** What is known where a run is given its place. */
export interface PlaceOptions {
  /** The run. */
  id: string;
  /** The folder of whoever asks for it; absolute. */
  from: string;
  /** The folder of the registry; worktrees lie in it. */
  stateFolder: string;
}

/**
 * Where a run works: in the folder `from`, as whoever asks for it, or in a git worktree of its own, which is made when it begins.
 *
 * @throws CadreError `invalid-argument` outside of a git repository.
 */
export function placeRun(
  { name, isolation }: AgentDefinition,
  { id, from, stateFolder }: PlaceOptions,
): Pick<RunSpec, "workspace" | "worktree"> {
  if (isolation === undefined) return { workspace: from };
  const repository = findRepository(from);
  const wants = `Agent ${name} works in a git worktree of its own (\`isolation: worktree\`)`;
  if (repository === undefined) {
    const message = `${wants}, and ${from} is in no git repository. Make one with \`git init\` and a first commit, or take \`isolation\` out of its definition.`;
    throw new CadreError("invalid-argument", message);
  }
  const root = join(realpathSync(stateFolder), "worktrees", id);
  return { workspace: join(root, relative(repository, from)), worktree: { root, from } };
}
