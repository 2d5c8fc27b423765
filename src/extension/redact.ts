/** Shorter values are words that stand in messages for other reasons. */
const shortestSecret = 6;

/** A function that takes `secrets` out of texts that end up in messages, and so in the journal. */
export function createRedaction(secrets: Iterable<string>): (text: string) => string {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= shortestSecret)
    .sort((left, right) => right.length - left.length);
  return (text) => known.reduce((clean, secret) => clean.replaceAll(secret, "[secret]"), text);
}
