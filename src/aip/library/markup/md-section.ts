import type { JsonObject, JsonValue } from "../../../source/json.ts";
import { createFenceReader } from "../../document/fence.ts";
import { linesOf } from "../text.ts";

/** A heading with its text, up to the next heading. */
interface Section {
  level: number;
  name: string;
  heading: string;
  lines: string[];
}

/** Splits a Markdown text at its headings, outside code; the text before the first one has level 0. */
function splitSections(content: string): Section[] {
  const sections: Section[] = [{ level: 0, name: "", heading: "", lines: [] }];
  const isCode = createFenceReader();
  for (const line of linesOf(content)) {
    const heading = isCode(line) ? null : /^(#{1,6})\s+(.*)$/.exec(line);
    if (heading === null) sections.at(-1)?.lines.push(line);
    else {
      const [, marks = "", name = ""] = heading;
      sections.push({ level: marks.length, name: name.trim(), heading: line, lines: [] });
    }
  }
  return sections;
}

function toValue(section: Section, content: string): JsonObject {
  const { heading, level, name } = section;
  return {
    _type: "MdSection",
    content,
    heading_raw: heading === "" ? "" : `${heading}\n`,
    heading_content: heading,
    heading_level: level,
    heading_name: name,
    ...(level !== 0 && { heading: { content: heading, level, name } }),
  };
}

function bodyOf(section: Section): string {
  return section.lines.map((line) => `${line}\n`).join("");
}

/**
 * Returns the sections of a text. With `headings` (`# Title`, or only the title), returns only those, each with its subsections
 * in the content; an empty heading selects the text before the first.
 */
export function findMarkdownSections(
  content: string,
  headings: readonly string[] | undefined,
): JsonValue[] {
  const sections = splitSections(content);
  if (headings === undefined) {
    return sections
      .filter((section) => section.level > 0 || section.lines.some((line) => line.trim() !== ""))
      .map((section) => toValue(section, bodyOf(section)));
  }
  const wanted = headings.map((heading) => /^(#{0,6})\s*(.*)$/.exec(heading.trim()));
  return sections.flatMap((section, index) => {
    const isWanted = wanted.some(
      (match) => match?.[2] === section.name && levelFits(match[1] ?? "", section.level),
    );
    return isWanted ? [toValue(section, withInner(sections, index))] : [];
  });
}

function levelFits(marks: string, level: number): boolean {
  return marks === "" || marks.length === level;
}

function withInner(sections: readonly Section[], index: number): string {
  const section = sections[index];
  if (section === undefined) return "";
  const parts = [bodyOf(section)];
  for (const inner of section.level === 0 ? [] : sections.slice(index + 1)) {
    if (inner.level <= section.level) break;
    parts.push(`${inner.heading}\n${bodyOf(inner)}`);
  }
  return parts.join("");
}

/** Splits a text into the text before the first heading, the first section, and the rest. */
export function splitFirstSection(content: string): JsonObject {
  const [before, first, ...others] = splitSections(content);
  const empty: Section = { level: 0, name: "", heading: "", lines: [] };
  const after = others.map((section) => [section.heading, ...section.lines].join("\n"));
  return {
    before: before === undefined ? "" : bodyOf(before),
    first: toValue(first ?? empty, first === undefined ? "" : bodyOf(first)),
    after: after.join("\n"),
  };
}
