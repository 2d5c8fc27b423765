import { isAbsolute, join, resolve } from "node:path";
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

/**
 * The folder of what Cadre keeps for the user across projects, absolute: `cadre` in `$XDG_STATE_HOME` (default
 * `~/.local/state`), on macOS in `~/Library/Application Support`, on Windows in `%LOCALAPPDATA%`. It may not exist yet.
 */
export function userStateFolder({
  home,
  environment,
}: {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}): string {
  return join(stateHome(home, environment), "cadre");
}

function stateHome(
  home: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const { XDG_STATE_HOME: given = "", LOCALAPPDATA: local = "" } = environment;
  // The specification says that a relative path is to be ignored.
  if (isAbsolute(given)) return given;
  if (process.platform === "darwin") return join(home, "Library", "Application Support");
  if (process.platform === "win32") return local === "" ? join(home, "AppData", "Local") : local;
  return join(home, ".local", "state");
}
