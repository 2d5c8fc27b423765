const longestShown = 60;

/** The command that makes `words` a task for the main agent, whatever they say. */
export function quoteTask(words: readonly string[]): string {
  const task = words.join(" ");
  const shown =
    task.length > longestShown ? `${task.slice(0, longestShown).toWellFormed()}…` : task;
  // An argument with a blank in it is always a task.
  return words.length > 1 ? `cadre run ${quote(shown)}` : `cadre run --agent main ${quote(shown)}`;
}

/** As a shell reads it. */
function quote(text: string): string {
  if (/^[\w.,:/@+=-]+$/.test(text)) return text;
  if (!/["$`\\!]/.test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
