import { join, resolve } from "node:path";
import { findStateRoot } from "../source/project-root.ts";

/**
 * The folder of the registry, absolute: where `CADRE_STATE_DIR` says (from `cwd`), otherwise `.cadre/state` in the
 * nearest ancestor with `.cadre` or `.git`, otherwise in `cwd`. It may not exist yet.
 */
export function stateFolder(place: {
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}): string {
  const { cwd, environment } = place;
  const given = environment.CADRE_STATE_DIR;
  if (given !== undefined && given !== "") return resolve(cwd, given);
  return join(findStateRoot(place), ".cadre", "state");
}
