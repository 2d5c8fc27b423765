import type { Diagnostic } from "../../host.ts";

/** Returns the number of findings of one severity. */
export function countFindings(
  diagnostics: readonly Diagnostic[],
  severity: Diagnostic["severity"],
): number {
  return diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
}
