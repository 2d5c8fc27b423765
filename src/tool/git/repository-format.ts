import { join } from "node:path";
import { CadreError } from "../../errors.ts";
import { createLruPool } from "../../lru-pool.ts";
import { resolveReal } from "../../source/file/real-path.ts";
import { readWhole } from "../path/regular-file.ts";
import { toGitError } from "./git-failure.ts";
import type { Repository } from "./open-repository.ts";

/** The settings taken from a repository's configuration: how its files are stored. None of them names a program or a path. */
const safeKeys: ReadonlySet<string> = new Set([
  "core.filemode",
  "core.symlinks",
  "core.ignorecase",
  "core.precomposeunicode",
  "core.longpaths",
  "core.autocrlf",
  "core.eol",
  "core.sharedrepository",
]);

/** Format extensions that do not affect the commands Cadre executes. */
const irrelevantExtensions: ReadonlySet<string> = new Set([
  "extensions.noop",
  "extensions.preciousobjects",
  "extensions.partialclone",
  "extensions.worktreeconfig",
  "extensions.relativeworktrees",
]);

/** The formats of the configurations that were read last, by the SHA-256 of the file. */
const known = createLruPool<{ format: string }>({ most: 100 });

/**
 * Returns a configuration of git with the format settings of a repository only. `list` lists the entries of a configuration, without
 * what it includes; it is called only for a file that is new or has changed.
 *
 * @throws CadreError `tool-unavailable` for a repository in an unknown format or without a readable configuration.
 */
export async function readRepositoryFormat(
  repository: Repository,
  list: (configuration: string) => Promise<string>,
): Promise<string> {
  const path = join(repository.commonFolder, "config");
  const { content, hash } = await readWhole((await resolveReal(path)) ?? path).catch(
    (error: unknown) => {
      const failed = `The configuration of the git repository ${repository.folder} cannot be read`;
      throw toGitError(failed, "", error);
    },
  );
  const before = known.find(hash);
  if (before !== undefined) return before.format;
  const format = toFormat(await list(content.toString("utf8")), repository.folder);
  known.enter(hash, { format });
  return format;
}

function toFormat(listed: string, folder: string): string {
  const lines = ["[core]", "bare = false", "logAllRefUpdates = false"];
  const extensions: string[] = [];
  for (const entry of listed.split("\0").filter((one) => one !== "")) {
    const [key = "", value = "true"] = entry.split(/\n(.*)/s);
    if (safeKeys.has(key) && /^[\w-]+$/.test(value)) lines.push(`${key.slice(5)} = ${value}`);
    if (!key.startsWith("extensions.") || irrelevantExtensions.has(key)) continue;
    if (key !== "extensions.objectformat" || !/^sha(1|256)$/.test(value)) {
      const message = `Cadre does not know the extension ${key} = ${value} of the git repository ${folder}.`;
      throw new CadreError("tool-unavailable", message);
    }
    extensions.push("[extensions]", `objectFormat = ${value}`);
  }
  lines.push(`repositoryFormatVersion = ${extensions.length === 0 ? 0 : 1}`);
  return `${[...lines, ...extensions].join("\n")}\n`;
}
