import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

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
  // Of other agents, package managers, browsers and the like.
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

/** Where people keep keys and tokens below `home`; absolute. */
export function secretPaths(home: string): string[] {
  return names.map((name) => join(home, name));
}

let ownSecrets: ReadonlySet<string> | undefined;

/** The {@link secretPaths} of the user who runs this, symlinks of the home resolved. */
export function ownSecretPaths(): ReadonlySet<string> {
  ownSecrets ??= new Set(secretPaths(realHome()));
  return ownSecrets;
}

function realHome(): string {
  try {
    return realpathSync(homedir());
  } catch {
    // A user without a home has no secrets in it.
    return homedir();
  }
}
