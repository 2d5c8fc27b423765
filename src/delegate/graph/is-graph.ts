/** Whether YAML or JSON has the key that only graphs have, at its top; what is wrong with it is said when it is read. */
export function isGraph(text: string): boolean {
  if (!text.trimStart().startsWith("{")) return /^(["']?)runs\1\s*:/m.test(text);
  try {
    return Array.isArray((JSON.parse(text) as { runs?: unknown }).runs);
  } catch {
    return false;
  }
}
