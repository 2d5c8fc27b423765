import { homedir } from "node:os";
import { join } from "node:path";
import { realPathOf } from "../../source/file/real-path.ts";

const names: readonly string[] = [
  ".ssh",
  ".aws",
  ".azure",
  ".gnupg",
  ".kube",
  ".docker",
  ".cadre",
  ".config/gcloud",
  ".config/gh",
  ".config/cadre",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".pgpass",
  ".password-store",
  ".local/share/keyrings",
  ".bash_history",
  ".zsh_history",
  // Other agents, package managers, browsers and similar programs.
  ".boto",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".claude.json",
  ".claude/.credentials.json",
  ".codex/auth.json",
  ".composer/auth.json",
  ".config/BraveSoftware",
  ".config/chromium",
  ".config/github-copilot",
  ".config/google-chrome",
  ".config/goose",
  ".config/op",
  ".config/rclone",
  ".gem/credentials",
  ".gemini/oauth_creds.json",
  ".gradle/gradle.properties",
  ".local/share/opencode/auth.json",
  ".m2/settings.xml",
  ".mozilla",
  ".my.cnf",
  ".s3cfg",
  ".terraform.d/credentials.tfrc.json",
  ".thunderbird",
  ".vault-token",
];

/** Returns the paths below `home` where people keep keys and tokens; absolute. */
export function secretPaths(home: string): string[] {
  return names.map((name) => join(home, name));
}

/** The folders of {@link hideFolders}. */
const hiddenFolders = new Set<string>();
let hidden: { home: string; paths: Set<string> } | undefined;

/**
 * Returns the paths that no tool of this process accesses: the {@link secretPaths} of the current user, symlinks of the home
 * folder resolved, and the folders of {@link hideFolders}.
 */
export function hiddenPaths(): ReadonlySet<string> {
  const home = homedir();
  if (hidden?.home !== home) {
    hidden = { home, paths: new Set([...secretPaths(realPathOf(home)), ...hiddenFolders]) };
  }
  return hidden.paths;
}

/**
 * Hides folders (absolute, symlinks resolved) from the tools of this process until it ends, because files stay there after their
 * owner is done. All tools that read files share this one list.
 */
export function hideFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    hiddenFolders.add(folder);
    hidden?.paths.add(folder);
  }
}
