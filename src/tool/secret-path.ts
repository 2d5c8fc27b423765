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
];

/** Where people keep keys and tokens below `home`; absolute. */
export function secretPaths(home: string): string[] {
  return names.map((name) => join(home, name));
}
