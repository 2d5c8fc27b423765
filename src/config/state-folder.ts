import { isAbsolute, join, resolve } from "node:path";
import { CadreError } from "../errors.ts";
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
 * The folder in which Cadre keeps what is this user's and no project's: `$XDG_STATE_HOME/cadre`, by default
 * `~/.local/state/cadre`; on macOS `~/Library/Application Support/cadre`, on Windows `%LOCALAPPDATA%\\cadre`. Absolute; it may
 * not exist yet.
 *
 * @throws CadreError `config-invalid` when it is no absolute path.
 */
export function userStateFolder({
  home,
  environment,
}: {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}): string {
  const { XDG_STATE_HOME: xdg = "", LOCALAPPDATA: local = "" } = environment;
  const { platform } = process;
  const base =
    xdg !== ""
      ? xdg
      : platform === "darwin"
        ? join(home, "Library", "Application Support")
        : platform === "win32"
          ? local || join(home, "AppData", "Local")
          : join(home, ".local", "state");
  if (isAbsolute(base)) return join(base, "cadre");
  const message = `Expected HOME and XDG_STATE_HOME to be absolute paths; got ${JSON.stringify(base)}.`;
  throw new CadreError("config-invalid", message);
}
