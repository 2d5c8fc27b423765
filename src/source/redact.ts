/** The minimum length of a redacted value. Shorter values also occur as ordinary words in messages. */
const minSecretLength = 6;

/** Creates a function that replaces `secrets` in messages that the journal stores. */
export function createRedaction(secrets: Iterable<string>): (text: string) => string {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= minSecretLength)
    .sort((left, right) => right.length - left.length);
  return (text) => known.reduce((clean, secret) => clean.replaceAll(secret, "[secret]"), text);
}

/** Creates a function that replaces the secrets of an environment in texts and in JSON, where a secret may be escaped. */
export function createEnvironmentRedaction(
  environment: Readonly<Record<string, string | undefined>>,
): (text: string) => string {
  const secrets = findSecretVariables(environment);
  return createRedaction([...secrets, ...secrets.map((one) => JSON.stringify(one).slice(1, -1))]);
}

/**
 * Returns the arguments of a command that may be secrets: the values of flags for secrets, and texts that look like
 * tokens.
 */
export function findSecretArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const [, flag, value] = /^(-[^=]*)=(.*)$/s.exec(arg) ?? [];
    const before = args[index - 1] ?? "";
    const name = flag ?? (before.startsWith("-") ? before : "");
    const text = value ?? arg;
    if (text.includes("://")) return findSecretsInUrl(text);
    if (text.startsWith("-")) return [];
    return namesSecret.test(name) || isLikeToken(text) ? [text] : [];
  });
}

/**
 * Returns the parts of a URL that may be secrets: login, query, fragment, and parts of the path that look like tokens.
 */
export function findSecretsInUrl(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { username, password, searchParams, hash, pathname } = new URL(text);
  const query = [...searchParams.values()];
  const found = [
    username,
    password,
    ...query,
    hash.slice(1),
    ...pathname.split("/").filter(isLikeToken),
  ];
  // A message may contain them encoded or decoded.
  return found.flatMap((one) => [one, encodeURIComponent(one), safeDecode(one)]);
}

/** Matches whole words of a name, because `GIT_AUTHOR_NAME` is no secret. */
const secretVariable =
  /(?:^|_)(?:[a-z]*keys?|[a-z]*tokens?|secrets?|pass[a-z]*|pwd|credentials?|auth|headers)(?:_|$)/i;

/**
 * Returns the values of environment variables whose names suggest secrets, such as `GITHUB_TOKEN`, and the tokens in those values.
 * Omits short values and paths, such as that of `SSH_AUTH_SOCK`, because replacing them would change other text.
 */
export function findSecretVariables(
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const values = Object.entries(environment).flatMap(([name, value = ""]) =>
    secretVariable.test(name) && value.length >= 8 && !/^[./~]/.test(value) ? value : [],
  );
  return [...values, ...values.flatMap((value) => value.split(/[=,\s]+/).filter(isLikeToken))];
}

const namesSecret = /key|token|secret|pass|auth|cred|login/i;

/** Reports whether a text mixes letters and digits and is not a path or a package name. */
function isLikeToken(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text) && !/^[./~@]|\.\w{1,4}$|\s/.test(text);
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
