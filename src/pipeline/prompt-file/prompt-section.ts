import type { Diagnostic } from "../../source/diagnostic.ts";
import { splitFrontmatter } from "../../source/yaml/frontmatter.ts";
import { type Fence, findFences } from "./fence.ts";

/** The source text of parameters. */
export interface ParameterSource {
  language: "yaml" | "toml";
  text: string;
  /** The first line of `text` in the file, 1-based. */
  line: number;
}

/** The parts of a prompt file. */
export interface PromptSections {
  /** In the order of the file. */
  sources: ParameterSource[];
  /** The rest of the text, without surrounding blank lines. */
  instruction: string;
  diagnostics: Diagnostic[];
}

interface Split {
  path: string;
  sources: ParameterSource[];
  diagnostics: Diagnostic[];
}

const languages: ReadonlyMap<string, "yaml" | "toml"> = new Map([
  ["yaml", "yaml"],
  ["yml", "yaml"],
  // JSON is also valid YAML.
  ["json", "yaml"],
  ["jsonc", "yaml"],
  ["toml", "toml"],
]);

const mark = /^\s*(?:#|\/\/)!meta\b/;

/** Splits a prompt file into its parameters (frontmatter and `#!meta` blocks) and its instruction. */
export function splitPrompt(text: string, path: string): PromptSections {
  const split: Split = { path, sources: [], diagnostics: [] };
  const lines = text.split("\n");
  const body = takeFrontmatter(lines, split);
  const above = cutBelowSeparator(lines, body, split);
  const instruction = takeBlocks(above, body, split);
  return { ...split, sources: split.sources, instruction };
}

/** Takes YAML and TOML frontmatter, in either order. Returns the index of the first line after it. */
function takeFrontmatter(lines: readonly string[], split: Split): number {
  let at = 0;
  const wanted = new Set(["---", "+++"]);
  for (;;) {
    const open = lines.findIndex((line, index) => index >= at && line.trim() !== "");
    const fence = lines[open]?.trimEnd() ?? "";
    if (!wanted.delete(fence)) {
      if (isSecond(lines, open)) split.diagnostics.push(secondFrontmatter(split.path, open + 1));
      return at;
    }
    const end = fence === "---" ? takeYaml(lines, at, split) : takeToml(lines, open, split);
    if (end === null) return at;
    at = end;
  }
}

/** Reports whether a line begins a second frontmatter. Without a key below, it is a Markdown rule. */
function isSecond(lines: readonly string[], open: number): boolean {
  const fence = lines[open]?.trimEnd() ?? "";
  if (fence !== "---" && fence !== "+++") return false;
  const isKey = /^["']?[A-Za-z_][\w.-]*["']?[ \t]*[:=]/.test(lines[open + 1] ?? "");
  return isKey && lines.some((line, index) => index > open && line.trimEnd() === fence);
}

function takeYaml(lines: readonly string[], from: number, split: Split): number | null {
  const found = splitFrontmatter(lines.slice(from).join("\n"));
  if (found.kind === "none") return null;
  const line = from + found.headerLine;
  if (found.kind === "unclosed") split.diagnostics.push(neverClosed(split.path, line - 1, "---"));
  else split.sources.push({ language: "yaml", text: found.header, line });
  return from + found.bodyLine - 1;
}

function takeToml(lines: readonly string[], open: number, split: Split): number {
  const close = lines.findIndex((line, index) => index > open && line.trimEnd() === "+++");
  if (close === -1) {
    split.diagnostics.push(neverClosed(split.path, open + 1, "+++"));
    return open + 1;
  }
  const text = lines.slice(open + 1, close).join("\n");
  split.sources.push({ language: "toml", text, line: open + 2 });
  return close + 1;
}

/** Returns the index of the line `====` that ends the prompt; `null` without one. */
export function findSeparator(lines: readonly string[]): number | null {
  return findSeparatorFrom(
    lines,
    takeFrontmatter(lines, { path: "", sources: [], diagnostics: [] }),
  );
}

function findSeparatorFrom(lines: readonly string[], from: number): number | null {
  const fences = findFences(lines.slice(from));
  const isInside = (index: number): boolean =>
    fences.some(({ open, close }) => index > open + from && index < (close ?? Infinity) + from);
  const at = lines.findIndex(
    (line, index) =>
      index >= from &&
      /^====[ \t]*$/.test(line) &&
      (index === from || lines[index - 1]?.trim() === "") &&
      !isInside(index),
  );
  return at === -1 ? null : at;
}

/** Cuts the lines below `====`, where AIPack's prompt files keep notes and earlier answers. */
function cutBelowSeparator(lines: readonly string[], from: number, split: Split): string[] {
  const at = findSeparatorFrom(lines, from);
  if (at === null) return lines.slice(from);
  if (lines.slice(at + 1).some((line) => line.trim() !== "")) {
    const message = `The text below the line \`====\` is not part of the prompt; ${lines.length - at - 1} lines were left out.`;
    split.diagnostics.push({
      path: split.path,
      line: at + 1,
      column: 1,
      severity: "info",
      code: "below-separator",
      message,
      fix: null,
    });
  }
  return lines.slice(from, at);
}

/** Takes the `#!meta` blocks out of `lines`, the first of which has the index `from` in the file. */
function takeBlocks(lines: readonly string[], from: number, split: Split): string {
  const kept: string[] = [];
  let at = 0;
  for (const fence of findFences(lines)) {
    if (!isTaken(lines, fence, from, split)) continue;
    const close = fence.close ?? lines.length;
    const language = languages.get(fence.language) ?? "yaml";
    const written = lines.slice(fence.open + 2, close).join("\n");
    const text = fence.language.startsWith("json") ? blankComments(written) : written;
    split.sources.push({ language, text, line: from + fence.open + 3 });
    kept.push(...lines.slice(at, fence.open));
    at = close + 1;
    // Keeps the blank lines around a removed block from doubling.
    if ((kept.at(-1) ?? "").trim() === "" && (lines[at] ?? "").trim() === "") at += 1;
  }
  kept.push(...lines.slice(at));
  return kept.join("\n").trim();
}

function isTaken(lines: readonly string[], fence: Fence, from: number, split: Split): boolean {
  if (!mark.test(lines[fence.open + 1] ?? "")) return false;
  const line = from + fence.open + 1;
  if (fence.close === null) split.diagnostics.push(neverClosed(split.path, line, "block"));
  if (languages.has(fence.language)) return fence.close !== null;
  split.diagnostics.push(unknownLanguage(split.path, line, fence.language));
  return false;
}

/** Blanks the comments of JSON and keeps all positions. */
function blankComments(json: string): string {
  return json.replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) =>
    found.startsWith('"') ? found : found.replaceAll(/[^\n]/g, " "),
  );
}

function secondFrontmatter(path: string, line: number): Diagnostic {
  const message =
    "A second frontmatter begins here. Cadre treats it as part of the instruction, not as parameters.";
  const fix = "Move its parameters to the first frontmatter.";
  const position = { path, line, column: 1 };
  return { ...position, severity: "warning", code: "frontmatter-second", message, fix };
}

function neverClosed(path: string, line: number, what: "---" | "+++" | "block"): Diagnostic {
  const isBlock = what === "block";
  const message = isBlock
    ? "This block of parameters is never closed."
    : `The frontmatter begins here and never ends: expected a line \`${what}\` after it.`;
  const fix = isBlock
    ? "Add a line with the same fence below the parameters."
    : `Add a line \`${what}\` between the parameters and the text.`;
  const code = isBlock ? "block-unclosed" : "frontmatter-unclosed";
  return { path, line: Math.max(1, line), column: 1, severity: "error", code, message, fix };
}

/** Reports the language of a block. Another language may be an example program; a missing one is a mistake. */
function unknownLanguage(path: string, line: number, language: string): Diagnostic {
  const severity = language === "" ? "error" : "warning";
  const got = language === "" ? "no language" : `\`${language}\``;
  const message = `Expected a block that begins with \`#!meta\` to be toml, yaml or json; got ${got}. Cadre treats it as part of the instruction, not as parameters.`;
  const fix = "Write the language after the opening fence, such as ```yaml.";
  return { path, line, column: 1, severity, code: "block-language", message, fix };
}
