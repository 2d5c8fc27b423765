import { errorMessage } from "../error-message.ts";
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { CadreError } from "../errors.ts";
import { createFolder, findObstacle } from "../source/file/create-folder.ts";
import { findProjectRoot } from "../source/file/project-root.ts";
import { isInside, realPathOf } from "../source/file/real-path.ts";

/** The user's home folder and environment. */
export interface UserEnvironment {
  /** The absolute path of the user's home folder. */
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the folder of the user's state, which projects must not write: the registries of projects and the list of
 * trusted folders. It is `$XDG_STATE_HOME/cadre`, by default `~/.local/state/cadre`; on macOS `~/Library/Application
 * Support/cadre`, on Windows `%LOCALAPPDATA%\cadre`. The path is absolute; the folder may be missing.
 *
 * @throws CadreError `config-invalid` when the home folder, or the variable that names the folder, is not an absolute
 * path.
 */
export function userStateFolder(
  { home, environment }: UserEnvironment,
  platform: NodeJS.Platform = process.platform,
): string {
  const { XDG_STATE_HOME: xdg, LOCALAPPDATA: local } = environment;
  // Without a home folder, the state would go to the working folder, which may contain other users' files.
  requireAbsolute("HOME", home);
  if (isGiven(xdg)) return join(requireAbsolute("XDG_STATE_HOME", xdg), "cadre");
  if (platform === "darwin") return join(home, "Library", "Application Support", "cadre");
  if (platform !== "win32") return join(home, ".local", "state", "cadre");
  if (isGiven(local)) return join(requireAbsolute("LOCALAPPDATA", local), "cadre");
  return join(home, "AppData", "Local", "cadre");
}

/** Returns the real root of the project of `cwd`. The project's registry is named after it. */
export function findStateRoot(project: { cwd: string; home: string }): string {
  return realPathOf(findProjectRoot(project));
}

/**
 * Returns the default folder of the registry of the project at `root` (absolute, real). It is below {@link
 * userStateFolder}, so that no agent can write to it and no repository can contain one. It may be missing.
 *
 * @throws CadreError as {@link userStateFolder}.
 */
export function projectStateFolder(root: string, user: UserEnvironment): string {
  const name = basename(root)
    .replaceAll(/[^\w.-]+/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, 40);
  const hash = createHash("sha256").update(root).digest("hex").slice(0, 16);
  return join(userStateFolder(user), "projects", `${name || "root"}-${hash}`);
}

/**
 * Checks that the home folder exists if it contains `folder`. A missing home folder means that HOME is wrong.
 *
 * @throws CadreError `config-invalid`.
 */
export function requireHome(folder: string, home: string): void {
  if (!isInside(folder, home) || existsSync(home)) return;
  const message = `Expected the home folder ${home} to exist: ${folder} would be in it. Set HOME to yours, or name another folder with XDG_STATE_HOME, or with CADRE_STATE_DIR for the runs of one project.`;
  throw new CadreError("config-invalid", message, { details: { folder, home } });
}

/**
 * Creates a folder of state that only its user may read and that Git ignores, if it is missing.
 *
 * @throws CadreError `registry-unavailable` when it cannot be created.
 */
export function createStateFolder(folder: string): void {
  try {
    createFolder(folder, 0o700);
  } catch (cause) {
    throw unusableFolder(folder, errorMessage(cause), cause);
  }
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Checks that a folder of state exists or may be created.
 *
 * @throws CadreError `registry-unavailable` when a part of its path is a file.
 */
export function requirePossible(folder: string): void {
  const obstacle = findObstacle(folder);
  if (obstacle !== undefined) throw unusableFolder(folder, `${obstacle} is not a folder`);
}

function unusableFolder(folder: string, why: string, cause?: unknown): CadreError {
  const message = `Expected a folder for runs that exists or can be created; got ${folder} (${why}). Set CADRE_STATE_DIR or \`stateDir\` to another folder.`;
  return new CadreError("registry-unavailable", message, { details: { path: folder }, cause });
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

function requireAbsolute(name: string, value: string): string {
  if (isAbsolute(value)) return value;
  const message = `Expected ${name} to be an absolute path; got ${JSON.stringify(value)}. Correct it or unset it.`;
  throw new CadreError("config-invalid", message, { details: { name, value } });
}
