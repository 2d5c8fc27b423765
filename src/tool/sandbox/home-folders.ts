import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside } from "../path-confinement.ts";

/** Toolchains that people install below their home folder. They hold programs, and no credentials. */
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

/** What package managers loaded, for commands without a network. With one, they load into the home of the command. */
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

/** What commands may see of a home folder that is hidden otherwise; absolute, existing. */
export function readableHomeFolders(home: string, hasNetwork: boolean): string[] {
  const names = hasNetwork ? toolchains : [...toolchains, ...packageCaches];
  return names.map((name) => join(home, name)).filter((path) => existsSync(path));
}

/** Beside a folder of programs, where those keep what they load. */
const companions: readonly string[] = ["lib", "lib64", "libexec"];

/**
 * The folders that programs are found in, and what belongs to them, wherever they lie: those on `PATH`, and the one of the
 * running Node. Never a folder that holds the home folder; absolute, existing.
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
    // Gone meanwhile.
    return folder;
  }
}
