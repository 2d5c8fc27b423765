/** Reports whether instructions have a placeholder for the task. */
export function hasTaskPlaceholder(body: string): boolean {
  return /\{\{[ \t]*task[ \t]*\}\}/.test(body);
}

/**
 * Inserts the task into an agent's instructions: in place of every `{{task}}`, or after the instructions if there is none. The
 * task is inserted verbatim, so placeholders in it remain text.
 */
export function injectTask(body: string, task: string): string {
  const placeholder = /\{\{[ \t]*task[ \t]*\}\}/g;
  if (placeholder.test(body)) return body.replace(placeholder, () => task);
  const instructions = body.trimEnd();
  return instructions === "" ? task : `${instructions}\n\n${task}`;
}
