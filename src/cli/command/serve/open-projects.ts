/** The commands `cadre serve` and `cadre export`. */

import { resolve } from "node:path";
import { type GrantOptions, toGrants } from "../../arguments/grant-options.ts";
import { UsageError } from "../../arguments/usage-error.ts";
import { openCadre } from "../../run/open-cadre.ts";
import type { ProjectToServe } from "../../../serve/serve.ts";
import type { RecipeSearch } from "../../../host.ts";

/**
 * Opens the projects in these folders; without any, the project of the working folder. On failure, closes the projects it opened.
 *
 * @throws UsageError when two of them share their runs, or for `--trust` with several projects: each is trusted separately.
 */
export async function openProjects(
  folders: readonly string[],
  options: GrantOptions,
  { cwd, home, environment }: RecipeSearch,
): Promise<ProjectToServe[]> {
  if (options.trust === true && folders.length > 1) {
    throw new UsageError(
      `Expected --trust with one project; got ${folders.length}. \`cadre trust\` trusts each of them.`,
    );
  }
  const { createTrust } = await import("../../../host.ts");
  const trust = createTrust({ home, environment });
  const projects: ProjectToServe[] = [];
  try {
    for (const folder of folders.length === 0 ? ["."] : folders) {
      const path = resolve(cwd, folder);
      const project = { cwd: path, home, environment };
      const cadreOptions = { ...toGrants(options), ...project, onApproval: "wait" as const };
      const cadre = await openCadre(cadreOptions, { submits: true });
      const isTrusted = options.trust === true || trust.isTrusted(path);
      const opened = { cadre, cadreOptions, path, isTrusted };
      const earlier = [...projects];
      projects.push(opened);
      for (const one of earlier) requireOwnRuns(one, opened);
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

/** @throws UsageError when both projects have the same state folder or the same registry in a database. */
function requireOwnRuns(first: ProjectToServe, second: ProjectToServe): void {
  const expected = `Expected projects with separate runs; ${first.path} and ${second.path} both keep theirs`;
  if (first.cadre.stateFolder === second.cadre.stateFolder) {
    throw new UsageError(
      `${expected} in ${first.cadre.stateFolder}. Name only one of them, or unset CADRE_STATE_DIR.`,
    );
  }
  const database = databaseOf(first);
  if (database === undefined || database !== databaseOf(second)) return;
  const { schema } = first.cadre.configuration.config.registry;
  throw new UsageError(
    `${expected} in the schema ${schema} of one database. Name only one of them, or set a different \`registry.schema\` in each configuration and trust it with \`cadre trust\`.`,
  );
}

/** Returns a name for a project's database and schema, without the user who connects; `undefined` for a registry in a file. */
function databaseOf({ cadre }: ProjectToServe): string | undefined {
  const { url, schema } = cadre.configuration.config.registry;
  if (url === undefined) return undefined;
  // `postgres:` equals `postgresql:`. The parser lowercases host names only in schemes that it knows.
  const { hostname, port, pathname, search } = new URL(url);
  return JSON.stringify([hostname.toLowerCase(), port || "5432", pathname, search, schema]);
}
