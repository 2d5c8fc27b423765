/** Reports whether YAML or JSON has the top-level key that only graphs have. Problems are reported when the graph is read. */
export function isGraph(text: string): boolean {
  if (!text.trimStart().startsWith("{")) return /^(["']?)runs\1\s*:/m.test(text);
  try {
    return Array.isArray((JSON.parse(text) as { runs?: unknown }).runs);
  } catch {
    return false;
  }
}
