import { CadreError } from "../../errors.ts";

/** Why git failed, with what to do, by what it says. None of these passes by itself. */
const causes: readonly (readonly [said: RegExp, advice: string])[] = [
  [
    /Host key verification failed/,
    "SSH does not know the key of this server, and cannot ask. Connect once with `ssh`, or put the server's key into ~/.ssh/known_hosts.",
  ],
  [
    /Permission denied \(|Too many authentication failures/,
    "The server refuses the SSH keys of this process. Give it one that has no passphrase or is in an agent: SSH_AUTH_SOCK, ~/.ssh/config or GIT_SSH_COMMAND.",
  ],
  [
    /terminal prompts disabled|could not read (?:Username|Password)|Authentication failed|HTTP (?:Basic: )?(?:401|403)|returned error: (?:401|403)/i,
    "The server wants other credentials than this process has. Give git a credential helper in ~/.gitconfig, or GIT_ASKPASS, for a user who may read and write the repository.",
  ],
  [
    /SSL certificate problem|certificate verification failed|certificate verify failed/i,
    "The server's certificate is signed by nobody this machine knows. Name the certificate of its issuer in GIT_SSL_CAINFO, or as http.sslCAInfo in ~/.gitconfig.",
  ],
];

/** Converts a failure of git to an error that says what to do. `failed` says which command failed, and where. */
export function toGitError(failed: string, stderr: string, cause?: unknown): CadreError {
  const said = hidePasswords(
    stderr.trim() || (cause instanceof Error ? cause.message : "it failed"),
  );
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (code === "ENOENT") {
    const message = `${failed}: git is not installed, or not on the PATH. Install it (Debian: apt-get install git).`;
    return new CadreError("tool-unavailable", message, { cause, details: { isLasting: true } });
  }
  const advice = causes.find(([pattern]) => pattern.test(said))?.[1];
  const details = { isLasting: advice !== undefined };
  const message = `${failed}: ${said}${advice === undefined ? "" : `\n${advice}`}`;
  return new CadreError("tool-unavailable", message, { cause, details });
}

/** Reports whether the same command fails again until somebody changes something. */
export function isLasting(error: unknown): boolean {
  return error instanceof CadreError && error.details["isLasting"] === true;
}

/** Replaces user names and passwords in addresses. */
function hidePasswords(text: string): string {
  return text.replaceAll(/(\w:\/\/)[^\s/@]+@/g, "$1");
}
