const maxShownLength = 60;

/** Returns the command that gives `words` to the main agent as its task. */
export function quoteTask(words: readonly string[]): string {
  const task = words.join(" ");
  const shown =
    task.length > maxShownLength ? `${task.slice(0, maxShownLength).toWellFormed()}…` : task;
  // An argument that contains a space is always a task.
  return words.length > 1
    ? `cadre run ${quoteArgument(shown)}`
    : `cadre run --agent main ${quoteArgument(shown)}`;
}

/** Quotes text for a shell. */
export function quoteArgument(text: string): string {
  if (/^[\w.,:/@+=-]+$/.test(text)) return text;
  if (!/["$`\\!]/.test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
