import { homedir } from "node:os";
import { join } from "node:path";
import { openRepository } from "./open-repository.ts";
import type { Committer } from "./plan-merge.ts";
import { readGitSetting } from "./run-git.ts";

/** The committer when git's configuration names none. */
const fallback: Committer = { name: "cadre", email: "cadre@cadre.invalid" };

/**
 * Reads the committer for the repository that contains `folder`: from its configuration, then from the user's. Reads only these
 * files, and no file that they include.
 */
export async function readCommitter(folder: string): Promise<Committer> {
  const { commonFolder } = await openRepository(folder);
  const configuration = process.env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config");
  const files = [
    join(commonFolder, "config"),
    join(homedir(), ".gitconfig"),
    join(configuration, "git/config"),
  ];
  const read = async (key: string): Promise<string | undefined> => {
    for (const file of files) {
      const value = await readGitSetting(file, key);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const [name, email] = await Promise.all([read("user.name"), read("user.email")]);
  return { name: name ?? fallback.name, email: email ?? fallback.email };
}
