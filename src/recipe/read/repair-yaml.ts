import type { Diagnostic } from "../../source/diagnostic.ts";
import { readYaml } from "../../source/yaml/yaml.ts";

/** The maximum number of repaired lines. */
const maxRepairs = 50;

/** YAML with added quotes. */
export interface RepairedYaml {
  /** The same lines, some with added quotes. */
  text: string;
  /** A warning for each repaired line, with the correct form. */
  warnings: Diagnostic[];
}

/**
 * Adds quotes to text that is invalid YAML without them, such as `description: Action: create or list`, the most common error.
 * Returns `null` for any other error.
 */
export function repairYaml(text: string, path: string): RepairedYaml | null {
  const lines = text.split("\n");
  const warnings: Diagnostic[] = [];
  for (let round = 0; round <= maxRepairs; round += 1) {
    const problem = readYaml(lines.join("\n"), path).diagnostics.find(isInvalid);
    if (problem === undefined)
      return warnings.length > 0 ? { text: lines.join("\n"), warnings } : null;
    // The parser may report the line after the error.
    const at = [problem.line - 1, problem.line - 2].find((index) => quoted(lines[index]) !== null);
    const repaired = quoted(lines[at ?? -1]);
    if (at === undefined || repaired === null) return null;
    lines[at] = repaired.start + repaired.value;
    const position = { line: at + 1, column: repaired.start.length + 1 };
    warnings.push({ ...unquoted(problem, lines[at].trim()), ...position });
  }
  return null;
}

function isInvalid({ code }: Diagnostic): boolean {
  return code === "yaml-invalid";
}

/** Quotes the text of a line `key: text` or `- text`; `null` when the line does not need quotes. */
function quoted(line: string | undefined): { start: string; value: string } | null {
  const match = /^(\s*(?:-\s+)?[A-Za-z_][\w.-]*:\s+|\s*-\s+)([^\s"'|>[{].*)$/.exec(line ?? "");
  const [, start = "", value = ""] = match ?? [];
  const needsQuotes = /: |:$| #|^[*&!%@`]/.test(value);
  return match === null || !needsQuotes ? null : { start, value: JSON.stringify(value.trimEnd()) };
}

function unquoted(problem: Diagnostic, written: string): Diagnostic {
  return {
    ...problem,
    severity: "warning",
    code: "yaml-unquoted",
    message: `This is not valid YAML and was read as text. ${problem.message}`,
    fix: `Write \`${written}\``,
  };
}

/** Finds the line on which an unclosed quote most likely opens. The parser reports it at the end of the file. */
export function explainQuotes(text: string, diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const found = diagnostics.find(({ message }) => message.startsWith("Missing closing"));
  if (found === undefined) return [];
  const quote = found.message.includes("'") ? "'" : '"';
  const open = quote === '"' ? /(?:[:,-]\s+|\[\s*)"(?:[^"\\]|\\.)*$/ : /(?:[:,-]\s+|\[\s*)'[^']*$/;
  const lines = text.split("\n");
  const index = lines.findIndex((line) => open.test(line));
  if (index === -1) return [];
  const message = `A ${quote} opens on this line and does not close.`;
  const fix = `Write ${quote} at the end of the text.`;
  const column = (lines[index]?.lastIndexOf(quote) ?? 0) + 1;
  return [{ ...found, line: index + 1, column, code: "quote-unclosed", message, fix }];
}

/**
 * Finds block scalars, such as `instructions: |`, whose text is not indented, or indented less than its first line. The parser
 * reports such text far from the cause.
 */
export function explainBlocks(text: string, path: string): Diagnostic[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const [, indent, key] = /^(\s*)(?:-\s+)?([\w-]+):\s*[|>][-+]?\s*$/.exec(line) ?? [];
    if (indent === undefined || key === undefined) return [];
    const block = lines.slice(index + 1);
    const first = block.find((one) => one.trim() !== "");
    const depth = first?.search(/\S/) ?? 0;
    if (first === undefined || (depth <= indent.length && isKey(first))) return [];
    const short = block.findIndex((one) => one.trim() !== "" && one.search(/\S/) < depth);
    const isOut = depth <= indent.length;
    if (!isOut && (short === -1 || isEnd(block[short] ?? "", indent.length))) return [];
    const at = isOut ? index + 1 : index + 2 + short;
    const message = isOut
      ? `The text of \`${key}\` must be indented, but the line after it is not, so that line is not part of it.`
      : `This line of \`${key}\` (line ${index + 1}) is indented less than the first line of its text, so it is not part of it.`;
    const fix =
      "Indent each line of the text by at least two spaces more than its key, the first one no further.";
    const position = { path, line: at, column: indent.length + 1 };
    return [{ ...position, severity: "error", code: "block-not-indented", message, fix } as const];
  });
}

function isKey(line: string): boolean {
  return /^\s*(?:-\s+)?["']?[\w-]+["']?:(\s|$)/.test(line);
}

/** Reports whether a line ends a block, because it belongs to the surrounding structure. */
function isEnd(line: string, indent: number): boolean {
  return line.search(/\S/) <= indent && (isKey(line) || /^\s*(-\s|#|\{%)/.test(line));
}
