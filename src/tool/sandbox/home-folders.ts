import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside } from "../../source/file/real-path.ts";

/** Toolchains that people install below their home folder. They contain programs, and no credentials. */
const toolchains: readonly string[] = [
  ".asdf",
  ".bun/bin",
  ".bun/install",
  ".cabal/bin",
  ".cargo/bin",
  ".deno/bin",
  ".dotnet",
  ".fnm",
  ".gem/ruby",
  ".ghcup",
  ".juliaup/bin",
  ".local/bin",
  ".local/lib",
  ".local/pipx",
  ".local/share/fnm",
  ".local/share/mise",
  ".local/share/pipx",
  ".local/share/pnpm",
  ".local/share/uv",
  ".nvm",
  ".opam",
  ".pyenv",
  ".rbenv",
  ".rustup",
  ".sdkman",
  ".volta",
  "anaconda3",
  "go/bin",
  "miniconda3",
  "miniforge3",
];

/**
 * Caches of package managers, for commands without a network. With a network, package managers download into the command's home
 * folder.
 */
const packageCaches: readonly string[] = [
  ".bundle/cache",
  ".cargo/git",
  ".cargo/registry",
  ".gradle/caches",
  ".gradle/wrapper",
  ".m2/repository",
  ".npm/_cacache",
  ".nuget/packages",
  "go/pkg/mod",
];

/** Returns the folders that commands may read in a home folder that is otherwise hidden; absolute, existing. */
export function readableHomeFolders(home: string, hasNetwork: boolean): string[] {
  const names = hasNetwork ? toolchains : [...toolchains, ...packageCaches];
  return names.map((name) => join(home, name)).filter((path) => existsSync(path));
}

/** The folders beside a folder of programs that contain what those programs load. */
const companions: readonly string[] = ["lib", "lib64", "libexec"];

/**
 * Returns the folders of programs and their libraries: those on `PATH`, and the folder of the running Node. Excludes folders that
 * contain the home folder; absolute, existing.
 */
export function programFolders(path: string, home: string): string[] {
  const own = dirname(process.execPath);
  const listed = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const programs = [own, ...listed];
  const loaded = programs
    .filter((folder) => basename(folder) === "bin")
    .flatMap((folder) => companions.map((name) => join(dirname(folder), name)));
  const folders = [...programs, ...loaded];
  return [...new Set(folders)].filter(
    (folder) => existsSync(folder) && !isInside(home, folder) && !isInside(home, realOf(folder)),
  );
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Removed in the meantime.
    return folder;
  }
}
