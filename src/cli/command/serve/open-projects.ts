// The commands `cadre serve` and `cadre export`.

import { homedir } from "node:os";
import { resolve } from "node:path";
import { type GrantOptions, toGrants } from "../../arguments/grant-options.ts";
import { UsageError } from "../../arguments/usage-error.ts";
import { openCadre } from "../../run/open-cadre.ts";
import type { ProjectToServe } from "../../../serve/serve.ts";

/**
 * Opens the projects in these folders; without one, that of the working folder. Closes those that it opened when it throws.
 *
 * @throws UsageError when two of them have the same runs, or with `--trust` for several: each project is trusted by itself.
 */
export async function openProjects(
  folders: readonly string[],
  options: GrantOptions,
): Promise<ProjectToServe[]> {
  if (options.trust === true && folders.length > 1) {
    throw new UsageError(
      `Expected --trust with one project; got ${folders.length}. \`cadre trust\` trusts each of them.`,
    );
  }
  const { createTrust } = await import("../../../host.ts");
  const trust = createTrust({ home: homedir(), environment: process.env });
  const projects: ProjectToServe[] = [];
  try {
    for (const folder of folders.length === 0 ? ["."] : folders) {
      const path = resolve(folder);
      const grants = { ...toGrants(options), cwd: path, onApproval: "wait" as const };
      const cadre = await openCadre(grants, { submits: true });
      const isTrusted = options.trust === true || trust.isTrusted(path);
      const same = projects.find((one) => one.cadre.stateFolder === cadre.stateFolder);
      projects.push({ cadre, path, isTrusted });
      if (same !== undefined) throw sameRuns(same, path);
    }
    return projects;
  } catch (error) {
    await closeProjects(projects);
    throw error;
  }
}

/** Closes projects. Runs that this process executes are left for `cadre resume`. */
export async function closeProjects(projects: readonly ProjectToServe[]): Promise<void> {
  await Promise.all(projects.map(async ({ cadre }) => await cadre.close({ leaveRuns: true })));
}

function sameRuns({ path: first, cadre }: ProjectToServe, path: string): UsageError {
  return new UsageError(
    `Expected projects with runs of their own; ${first} and ${path} both have those in ${cadre.stateFolder}. Name one of them, and set no CADRE_STATE_DIR.`,
  );
}
