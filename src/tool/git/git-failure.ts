import { CadreError } from "../../errors.ts";

/** The causes of git's failures, recognised by its output, with advice. None of them passes by itself. */
const causes: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    /Host key verification failed/,
    "SSH does not know this server's key and cannot ask. Connect once with `ssh`, or add the server's key to ~/.ssh/known_hosts.",
  ],
  [
    /Permission denied \(|Too many authentication failures/,
    "The server refuses the SSH keys of this process. Provide a key that has no passphrase or is in an agent: SSH_AUTH_SOCK, ~/.ssh/config or GIT_SSH_COMMAND.",
  ],
  [
    /terminal prompts disabled|could not read (?:Username|Password)|Authentication failed|HTTP (?:Basic: )?(?:401|403)|returned error: (?:401|403)/i,
    "The server requires credentials that this process does not have. Configure a credential helper in ~/.gitconfig, or GIT_ASKPASS, for a user who may read and write the repository.",
  ],
  [
    /SSL certificate problem|certificate verification failed|certificate verify failed/i,
    "This machine does not trust the issuer of the server's certificate. Name the issuer's certificate in GIT_SSL_CAINFO, or as http.sslCAInfo in ~/.gitconfig.",
  ],
];

/** Converts a git failure to an error that says what to do. `failed` states which command failed, and where. */
export function toGitError(failed: string, stderr: string, cause?: unknown): CadreError {
  const output = hidePasswords(
    stderr.trim() || (cause instanceof Error ? cause.message : "it failed"),
  );
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (code === "ENOENT") {
    const message = `${failed}: git is not installed, or not on the PATH. Install it (Debian: apt-get install git).`;
    return new CadreError("tool-unavailable", message, { cause, details: { isLasting: true } });
  }
  const advice = causes.find(([pattern]) => pattern.test(output))?.[1];
  const details = { isLasting: advice !== undefined };
  const message = `${failed}: ${output}${advice === undefined ? "" : `\n${advice}`}`;
  return new CadreError("tool-unavailable", message, { cause, details });
}

/** Reports whether the command keeps failing until something is changed. */
export function isLasting(error: unknown): boolean {
  return error instanceof CadreError && error.details["isLasting"] === true;
}

/** Replaces user names and passwords in addresses. */
function hidePasswords(text: string): string {
  return text.replaceAll(/(\w:\/\/)[^\s/@]+@/g, "$1");
}
