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

/**
 * What is most likely wrong when a block of text, `instructions: |`, is followed by text that is not indented: the reader
 * stumbles over that text, far from its cause.
 */
export function explainBlocks(text: string, path: string): Diagnostic[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const [, indent, key] = /^(\s*)([\w-]+):\s*[|>][-+\d]*\s*$/.exec(line) ?? [];
    const next = lines.slice(index + 1).find((one) => one.trim() !== "");
    if (indent === undefined || next === undefined || next.search(/\S/) > indent.length) return [];
    if (/^\s*[\w-]+:(\s|$)/.test(next)) return [];
    const message = `The text of \`${key}\` has to be indented, and the line after it is not, so it is not part of it.`;
    const fix = "Indent each line of the text by two blanks more than its key.";
    const place = { path, line: index + 1, column: indent.length + 1 };
    return [{ ...place, severity: "error", code: "block-not-indented", message, fix } as const];
  });
}
