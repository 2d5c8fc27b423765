/** Whether a body says itself where the task goes. */
export function hasTaskPlaceholder(body: string): boolean {
  return /\{\{[ \t]*task[ \t]*\}\}/.test(body);
}

/**
 * Puts the task into an agent's instructions: in place of every `{{task}}`, or after the body where there is none. The
 * task is inserted as it is; what looks like a placeholder in it stays text.
 */
export function injectTask(body: string, task: string): string {
  const placeholder = /\{\{[ \t]*task[ \t]*\}\}/g;
  if (placeholder.test(body)) return body.replace(placeholder, () => task);
  const instructions = body.trimEnd();
  return instructions === "" ? task : `${instructions}\n\n${task}`;
}
