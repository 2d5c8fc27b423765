import type { Diagnostic } from "../source/diagnostic.ts";
import { readYaml } from "../source/yaml.ts";

/** More mistakes than these are not worth guessing at. */
const maxRepairs = 50;

/** YAML in which text that needed quotes has them. */
export interface RepairedYaml {
  /** The same lines; some have quotes around their text. */
  text: string;
  /** One for each line, with the form to write. */
  warnings: Diagnostic[];
}

/**
 * Puts quotes around text that is no YAML without them, such as `description: Action: create or list`: the mistake that
 * people make most. `null` when something else is wrong.
 */
export function repairYaml(text: string, path: string): RepairedYaml | null {
  const lines = text.split("\n");
  const warnings: Diagnostic[] = [];
  for (let round = 0; round <= maxRepairs; round += 1) {
    const problem = readYaml(lines.join("\n"), path).diagnostics.find(isInvalid);
    if (problem === undefined)
      return warnings.length > 0 ? { text: lines.join("\n"), warnings } : null;
    // The reader may notice a line too late.
    const at = [problem.line - 1, problem.line - 2].find((index) => quoted(lines[index]) !== null);
    const repaired = quoted(lines[at ?? -1]);
    if (at === undefined || repaired === null) return null;
    lines[at] = repaired.start + repaired.value;
    const place = { line: at + 1, column: repaired.start.length + 1 };
    warnings.push({ ...unquoted(problem, lines[at].trim()), ...place });
  }
  return null;
}

function isInvalid({ code }: Diagnostic): boolean {
  return code === "yaml-invalid";
}

/** A line `key: text` or `- text` with its text in quotes; `null` where that is not what is wrong. */
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

/** Where a quote most likely opens that never closes; the reader notices it at the end of the file. */
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
 * What is most likely wrong when the text of a block, `instructions: |`, is not indented, or less than its first line: the
 * reader stumbles over that text, far from its cause.
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
      ? `The text of \`${key}\` has to be indented, and the line after it is not, so it is not part of it.`
      : `This line of \`${key}\` (line ${index + 1}) is indented less than the first line of its text, so it is not part of it.`;
    const fix =
      "Indent each line of the text by at least two blanks more than its key, the first one no further.";
    const place = { path, line: at, column: indent.length + 1 };
    return [{ ...place, severity: "error", code: "block-not-indented", message, fix } as const];
  });
}

function isKey(line: string): boolean {
  return /^\s*(?:-\s+)?["']?[\w-]+["']?:(\s|$)/.test(line);
}

/** Whether a line ends a block because it belongs to what is around the block. */
function isEnd(line: string, indent: number): boolean {
  return line.search(/\S/) <= indent && (isKey(line) || /^\s*(-\s|#|\{%)/.test(line));
}
