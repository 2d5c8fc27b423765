import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { CadreError } from "../errors.ts";
import { findProjectRoot } from "../source/project-root.ts";
import { isInside, realPathOf } from "../source/real-path.ts";

/** Whose state it is. */
export interface UserPlace {
  /** The user's home folder, absolute. */
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The folder in which Cadre keeps what is this user's and no project's to write: the registries of projects, and the list of
 * trusted folders. `$XDG_STATE_HOME/cadre`, by default `~/.local/state/cadre`; on macOS `~/Library/Application Support/cadre`,
 * on Windows `%LOCALAPPDATA%\cadre`. Absolute; it may not exist yet.
 *
 * @throws CadreError `config-invalid` when the home folder, or the variable that names the folder, is no absolute path.
 */
export function userStateFolder(
  { home, environment }: UserPlace,
  platform: NodeJS.Platform = process.platform,
): string {
  const { XDG_STATE_HOME: xdg, LOCALAPPDATA: local } = environment;
  // Without a home, what belongs there would go to the working folder, where anybody's files may lie.
  requireAbsolute("HOME", home);
  if (isGiven(xdg)) return join(requireAbsolute("XDG_STATE_HOME", xdg), "cadre");
  if (platform === "darwin") return join(home, "Library", "Application Support", "cadre");
  if (platform !== "win32") return join(home, ".local", "state", "cadre");
  if (isGiven(local)) return join(requireAbsolute("LOCALAPPDATA", local), "cadre");
  return join(home, "AppData", "Local", "cadre");
}

/** The root of the project that `cwd` is in, symlinks resolved: what its registry is called after. */
export function findStateRoot(place: { cwd: string; home: string }): string {
  return realPathOf(findProjectRoot(place));
}

/**
 * The folder of the registry of the project at `root` (absolute, real), unless another one is configured: below
 * {@link userStateFolder}, so that no agent writes to it and no repository brings one along. It may not exist yet.
 *
 * @throws CadreError as {@link userStateFolder}.
 */
export function projectStateFolder(root: string, user: UserPlace): string {
  const name = basename(root)
    .replaceAll(/[^\w.-]+/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, 40);
  const hash = createHash("sha256").update(root).digest("hex").slice(0, 16);
  return join(userStateFolder(user), "projects", `${name || "root"}-${hash}`);
}

/**
 * Checks that what is to be kept in `folder` has a home to be in: one that is not there is a mistake of whoever set it.
 *
 * @throws CadreError `config-invalid`.
 */
export function requireHome(folder: string, home: string): void {
  if (!isInside(folder, home) || existsSync(home)) return;
  const message = `Expected the home folder ${home} to exist: ${folder} would be in it. Set HOME to yours, or name another folder with XDG_STATE_HOME, or with CADRE_STATE_DIR for the runs of one project.`;
  throw new CadreError("config-invalid", message, { details: { folder, home } });
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

function requireAbsolute(name: string, value: string): string {
  if (isAbsolute(value)) return value;
  const message = `Expected ${name} to be an absolute path; got ${JSON.stringify(value)}. Correct it or unset it.`;
  throw new CadreError("config-invalid", message, { details: { name, value } });
}
