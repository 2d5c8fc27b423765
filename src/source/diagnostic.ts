// Users' files: reads YAML, TOML and JSON with positions, and reports findings.

import type { KeyPath } from "./position.ts";

/** The severity of a finding: an error makes the file unusable, a warning and an info do not. */
export type Severity = "error" | "warning" | "info";

/** A finding at a position in a file. Plain JSON. */
export interface Diagnostic {
  /** The absolute path of the file. */
  path: string;
  /** 1-based. */
  line: number;
  /** 1-based, in UTF-16 code units. */
  column: number;
  severity: Severity;
  /** A stable kebab-case code, such as `name-mismatch`. */
  code: string;
  /** What was expected and what was found. */
  message: string;
  /** What to write instead; `null` when only the author can know. */
  fix: string | null;
}

/** A finding without its position. */
export type Finding = Pick<Diagnostic, "severity" | "code" | "message" | "fix">;

/** Reports a finding about the value at `keys` of a file. */
export type Report = (keys: KeyPath, finding: Finding) => void;

/** Reports whether any of `diagnostics` is an error. */
export function hasError(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}

/** Formats a finding on one line, for terminals and logs: `path:line:column severity code: message Fix: …`. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { path, line, column, severity, code, message, fix } = diagnostic;
  const place = `${path}:${line}:${column}`;
  return `${place} ${severity} ${code}: ${message}${fix === null ? "" : ` Fix: ${fix}`}`;
}

/** Removes repeated findings: a folder that belongs to two formats is read twice. */
export function withoutRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(diagnostics.map((finding) => [JSON.stringify(finding), finding])).values()];
}
