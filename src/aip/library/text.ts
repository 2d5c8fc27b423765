import { isRecord } from "../../source/json.ts";
import {
  type AipModule,
  type Arguments,
  isAbsent,
  listArgument,
  nameKind,
  numberOf,
  optionsOf,
  type Several,
  textArgument,
  textOption,
  wantsExtrusion,
} from "./arguments.ts";
import { decodeEntities } from "../../source/html/decode-entities.ts";

/** `aip.text`. A nil text gives nil. */
export const text: AipModule = {
  escape_decode: map(decodeEntities),
  escape_decode_if_needed: map((content) =>
    content.includes("&lt;") ? decodeEntities(content) : content,
  ),
  split_first: split((content, mark) => content.indexOf(mark)),
  split_last: split((content, mark) => content.lastIndexOf(mark)),
  split_first_line: splitLine((lines, mark) => lines.indexOf(mark)),
  split_last_line: splitLine((lines, mark) => lines.lastIndexOf(mark)),
  remove_first_line: map((content) => removeFirst(content, 1)),
  remove_first_lines: map((content, args) => removeFirst(content, numberOf(args, 2))),
  remove_last_line: map((content) => removeLast(content, 1)),
  remove_last_lines: map((content, args) => removeLast(content, numberOf(args, 2))),
  trim: map((content) => content.trim()),
  trim_start: map((content) => content.trimStart()),
  trim_end: map((content) => content.trimEnd()),
  truncate: map(truncate),
  replace_markers: map(replaceMarkers),
  ensure: map(ensure),
  ensure_single_trailing_newline: map(endWithNewline),
  ensure_single_ending_newline: map(endWithNewline),
  format_size: (args) => {
    if (isAbsent(args, 1)) return undefined;
    return formatSize(args);
  },
  extract_line_blocks: extractLineBlocks,
};

function map(change: (content: string, args: Arguments) => string): AipModule[string] {
  return (args) => (isAbsent(args, 1) ? undefined : change(textArgument(args, 1), args));
}

function split(find: (content: string, mark: string) => number): AipModule[string] {
  return (args) => {
    if (isAbsent(args, 1)) return { several: [undefined, undefined] };
    const content = textArgument(args, 1);
    const mark = textArgument(args, 2);
    const at = find(content, mark);
    if (at === -1) return { several: [content, undefined] };
    return { several: [content.slice(0, at), content.slice(at + mark.length)] };
  };
}

function splitLine(find: (lines: string[], mark: string) => number): AipModule[string] {
  return (args) => {
    if (isAbsent(args, 1)) return { several: [undefined, undefined] };
    const content = textArgument(args, 1);
    const lines = linesOf(content);
    const at = find(lines, textArgument(args, 2));
    if (at === -1) return { several: [content, undefined] };
    const rest = content.split("\n").slice(at + 1);
    return { several: [lines.slice(0, at).join("\n"), rest.join("\n")] };
  };
}

function removeFirst(content: string, count: number): string {
  return count <= 0 ? content : content.split("\n").slice(count).join("\n");
}

function removeLast(content: string, count: number): string {
  return count <= 0 ? content : content.split("\n").slice(0, -count).join("\n");
}

function truncate(content: string, args: Arguments): string {
  const most = numberOf(args, 2);
  const ellipsis = isAbsent(args, 3) ? "" : textArgument(args, 3);
  const characters = Array.from(content);
  if (characters.length <= most) return content;
  // The ellipsis counts towards the length.
  const end = Array.from(ellipsis).slice(0, most);
  return [...characters.slice(0, most - end.length), ...end].join("");
}

function ensure(content: string, args: Arguments): string {
  const options = optionsOf(args, 2);
  const unknown = Object.keys(options).find((key) => key !== "prefix" && key !== "suffix");
  if (unknown !== undefined)
    throw new Error(`${args.name} expects the options prefix and suffix, got ${unknown}`);
  const prefix = textOption(args, options, "prefix") ?? "";
  const suffix = textOption(args, options, "suffix") ?? "";
  const begun = content.startsWith(prefix) ? content : prefix + content;
  return begun.endsWith(suffix) ? begun : begun + suffix;
}

/** Returns `content` with exactly one trailing line break. */
export function endWithNewline(content: string): string {
  return `${content.replace(/\n+$/, "")}\n`;
}

const markers = { start: "<<START>>", end: "<<END>>" } as const;

function replaceMarkers(content: string, args: Arguments): string {
  const sections = listArgument(args, 2).map((section) => {
    const body = isRecord(section) ? section["content"] : section;
    if (typeof body === "string") return body;
    throw new Error(
      `${args.name} expects strings or tables with a content in argument 2, got ${nameKind(section)}`,
    );
  });
  const kept: string[] = [];
  let isInside = false;
  let next = 0;
  for (const line of content.split("\n")) {
    if (line.includes(markers.start)) {
      if (isInside) throw new Error(`${args.name}: ${markers.start} inside a section`);
      isInside = true;
    } else if (line.includes(markers.end)) {
      if (!isInside) throw new Error(`${args.name}: ${markers.end} without ${markers.start}`);
      isInside = false;
      const section = sections[next];
      if (section === undefined)
        throw new Error(`${args.name}: got ${sections.length} sections, but the text has more`);
      kept.push(section);
      next += 1;
    } else if (!isInside) kept.push(line);
  }
  if (next < sections.length)
    throw new Error(`${args.name}: got ${sections.length} sections, but the text has ${next}`);
  return kept.join("\n");
}

const units = ["B", "KB", "MB", "GB", "TB"] as const;

function formatSize(args: Arguments): string {
  const bytes = Math.max(Math.round(numberOf(args, 1)), 0);
  const asTable = typeof args.values[1] === "object";
  const options = asTable ? optionsOf(args, 2) : {};
  const lowest = asTable
    ? (textOption(args, options, "lowest_unit") ?? "B")
    : isAbsent(args, 2)
      ? "B"
      : textArgument(args, 2);
  let unit = Math.max(
    units.findIndex((name) => name === lowest.toUpperCase()),
    0,
  );
  let size = bytes / 1000 ** unit;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  const number = unit === 0 ? String(size) : size.toFixed(2);
  const formatted = `${number.padStart(6)} ${(units[unit] ?? "B").padEnd(2)}`;
  return options["trim"] === true ? formatted.trim() : formatted;
}

function extractLineBlocks(args: Arguments): Several {
  if (isAbsent(args, 1)) return { several: [undefined, undefined] };
  const options = optionsOf(args, 2);
  const prefix = textOption(args, options, "starts_with");
  if (prefix === undefined) throw new Error(`${args.name} expects the option starts_with`);
  const most = typeof options["first"] === "number" ? options["first"] : Infinity;
  const blocks: string[] = [];
  const rest: string[] = [];
  let isInside = false;
  for (const line of linesOf(textArgument(args, 1))) {
    const isMarked = line.startsWith(prefix);
    if (isMarked && (isInside || blocks.length < most)) {
      if (isInside) blocks.push(`${blocks.pop() ?? ""}${line}\n`);
      else blocks.push(`${line}\n`);
      isInside = true;
    } else {
      rest.push(`${line}\n`);
      isInside = false;
    }
  }
  return { several: [blocks, wantsExtrusion(args, options) ? rest.join("") : undefined] };
}

/** Splits a text into lines. A trailing line break does not begin another line. */
export function linesOf(content: string): string[] {
  const lines = content.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
