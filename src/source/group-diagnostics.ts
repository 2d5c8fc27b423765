import { basename } from "node:path";
import { type Diagnostic, formatDiagnostic } from "./diagnostic.ts";

/** The minimum number of repetitions of a finding that are grouped. */
const fewest = 3;

/** The maximum number of positions listed. */
const namedPlaces = 5;

/**
 * Formats findings as lines. Repeated findings share one line with their number and positions. Two findings are repeated when their
 * messages are equal or differ only in backquoted names. Errors are never grouped, because each makes a file unusable.
 */
export function listDiagnostics(diagnostics: readonly Diagnostic[]): string[] {
  const same = groupBy(diagnostics, ({ message }) => message);
  const left = diagnostics.filter((finding) => !same.has(finding));
  const alike = groupBy(left, ({ message }) => message.replaceAll(/`[^`]*`/g, "``"));
  const groups = new Map([...same, ...alike]);
  return diagnostics.flatMap((finding) => {
    const group = groups.get(finding) ?? [finding];
    return group[0] === finding ? [formatGroup(finding, group.slice(1))] : [];
  });
}

/** Returns the group of each finding that is repeated often enough. */
function groupBy(
  diagnostics: readonly Diagnostic[],
  words: (finding: Diagnostic) => string,
): Map<Diagnostic, Diagnostic[]> {
  const repeatable = diagnostics.filter(({ severity }) => severity !== "error");
  const groups = Map.groupBy(repeatable, (finding) =>
    JSON.stringify([finding.severity, finding.code, words(finding)]),
  );
  const large = [...groups.values()].filter(({ length }) => length >= fewest);
  return new Map(large.flatMap((group) => group.map((finding) => [finding, group])));
}

function formatGroup(first: Diagnostic, others: readonly Diagnostic[]): string {
  if (others.length === 0) return formatDiagnostic(first);
  const places = others.slice(0, namedPlaces).map(({ path, line }) => `${basename(path)}:${line}`);
  const more = others.length > namedPlaces ? " …" : "";
  return `${formatDiagnostic(first)} (${others.length} more like it: ${places.join(", ")}${more})`;
}
