/** Reports whether a pattern matches. `*` stands for any text, including none; a backslash makes the next character literal. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const parts = splitAtStars(pattern);
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (parts.length === 1) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  // The leftmost matches suffice, so the time is linear for any pattern.
  let at = first.length;
  const limit = text.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > limit) return false;
    at = found + part.length;
  }
  return true;
}

/** Reports whether a pattern of {@link matchesWildcard} has a `*` that is not escaped. */
export function hasWildcard(pattern: string): boolean {
  return splitAtStars(pattern).length > 1;
}

/** Returns the pattern that matches only `text`. */
export function escapeWildcards(text: string): string {
  return text.replaceAll(/[\\*]/g, String.raw`\$&`);
}

function splitAtStars(pattern: string): string[] {
  const parts = [""];
  const add = (text: string): void => {
    parts[parts.length - 1] += text;
  };
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === "*") parts.push("");
    else if (character === "\\" && at + 1 < pattern.length) add(pattern.charAt((at += 1)));
    else add(character);
  }
  return parts;
}
