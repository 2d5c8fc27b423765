// Words of a shell command: splits and quotes them.

/** Splits text into words and removes quotes as a shell does; `undefined` if a quote is not closed. */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  const word = /\s*((?:[^\s'"\\]|\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*")+)/y;
  const trimmed = text.trimEnd();
  while (word.lastIndex < trimmed.length) {
    const match = word.exec(trimmed);
    if (match === null) return undefined;
    words.push(unquote(match[1] ?? ""));
  }
  return words;
}

/** Removes the quotes of a word as a shell does. */
export function unquote(word: string): string {
  return word.replaceAll(
    /\\([^])|'([^']*)'|"((?:[^"\\]|\\[^])*)"/g,
    (_, escaped?: string, single?: string, double?: string) =>
      escaped ?? single ?? (double ?? "").replaceAll(/\\(["\\$`])/g, "$1"),
  );
}
