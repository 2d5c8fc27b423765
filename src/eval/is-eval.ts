/** Reports whether YAML or JSON has the top-level key that only eval files have. Problems are reported when the file is read. */
export function isEval(text: string): boolean {
  if (!text.trimStart().startsWith("{")) return /^(["']?)cases\1\s*:/m.test(text);
  try {
    return "cases" in (JSON.parse(text) as object);
  } catch {
    return false;
  }
}
