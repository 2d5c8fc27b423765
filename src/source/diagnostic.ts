/** How bad a finding is: an error makes the file unusable, a warning does not, info is for the curious. */
export type Severity = "error" | "warning" | "info";

/** One finding about one place in a file somebody wrote. Plain JSON. */
export interface Diagnostic {
  /** The file, absolute. */
  path: string;
  /** 1-based. */
  line: number;
  /** 1-based, in UTF-16 code units. */
  column: number;
  severity: Severity;
  /** Kebab-case and stable, such as `name-mismatch`. */
  code: string;
  /** What was expected and what came. */
  message: string;
  /** What to write instead, or `null` where only the author can know. */
  fix: string | null;
}

/** Whether any of `diagnostics` is an error. */
export function hasError(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}

/** `path:line:column severity code: message (fix: …)`, the one-line form for terminals and logs. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { path, line, column, severity, code, message, fix } = diagnostic;
  const place = `${path}:${line}:${column}`;
  return `${place} ${severity} ${code}: ${message}${fix === null ? "" : ` Fix: ${fix}`}`;
}
