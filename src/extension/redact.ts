/** Shorter values are words that stand in messages for other reasons. */
const shortestSecret = 6;

/** A function that takes `secrets` out of texts that end up in messages, and so in the journal. */
export function createRedaction(secrets: Iterable<string>): (text: string) => string {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= shortestSecret)
    .sort((left, right) => right.length - left.length);
  return (text) => known.reduce((clean, secret) => clean.replaceAll(secret, "[secret]"), text);
}

/** The texts in a command's arguments that may be secrets: what a flag for one is given, and what looks like a token. */
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

/** The texts in a URL that may be secrets: its login, its query, its fragment, and parts of its path that look like tokens. */
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
  // A message may have them as they are written or as they are meant.
  return found.flatMap((one) => [one, encodeURIComponent(one), safeDecode(one)]);
}

const namesSecret = /key|token|secret|pass|auth|cred|login/i;

/** Letters and digits mixed, and no path or name of a package. */
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
