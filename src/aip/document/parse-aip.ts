// `.aip` files: parses their sections, options and code.

import type { Diagnostic } from "../../source/diagnostic.ts";
import { type Aip, type AipPrompt, type AipScript, type AipStage, stageTitles } from "./aip.ts";
import { type AipOptions, mergeAipOptions } from "./aip-options.ts";
import { createFenceReader, hasFenceEnd } from "./fence.ts";
import { parseOptionsBlock } from "./options-block.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** A section of the file, with its heading in lower case. */
interface Section {
  title: string;
  marks: string | null;
  line: number;
  lines: string[];
}

const stages: Readonly<Record<string, AipStage>> = {
  "before all": "before-all",
  data: "data",
  output: "output",
  "after all": "after-all",
};
const roles: Readonly<Record<string, AipPrompt["role"]>> = {
  system: "system",
  user: "user",
  inst: "user",
  instruction: "user",
  assistant: "assistant",
  model: "assistant",
  "mind trick": "assistant",
  "jedi trick": "assistant",
};

/**
 * Parses an `.aip` file, as leniently as AIPack: text around the code of a section is a comment, and so is an unknown section
 * (with a warning). Only invalid options are errors.
 *
 * @param path for diagnostics; the file is not opened.
 */
export function parseAip(text: string, path: string): Aip {
  const diagnostics: Diagnostic[] = [];
  const scripts: Aip["scripts"] = {};
  const prompts: AipPrompt[] = [];
  let options: AipOptions = {};
  let description: string | undefined;
  const report = (finding: Omit<Diagnostic, "path" | "column">): void => {
    diagnostics.push({ path, column: 1, ...finding });
  };
  const sections = splitSections(text.replaceAll("\r\n", "\n"));
  for (const section of sections) {
    const stage = Object.hasOwn(stages, section.title) ? stages[section.title] : undefined;
    const role = Object.hasOwn(roles, section.title) ? roles[section.title] : undefined;
    if (stage !== undefined) addScript(scripts, stage, section, report);
    else if (role !== undefined)
      prompts.push({
        role,
        template: `${section.lines.join("\n")}\n`,
        marks: section.marks,
        line: section.line,
      });
    else if (section.title === "options" || section.title === "config") {
      const block = findBlock(section, "toml");
      if (block === undefined) report(noCode(section, "toml"));
      else {
        const reading = parseOptionsBlock(block, path, section.title === "config");
        options = mergeAipOptions(options, reading.options);
        diagnostics.push(...reading.diagnostics);
      }
    } else if (section.title === "description") description ??= firstParagraph(section);
    else report(unknownSection(section));
  }
  const titles = new Set(sections.map((section) => section.title));
  if (titles.has("config") && titles.has("options")) report(bothOptions(sections));
  return {
    path,
    ...omitUndefined({ description }),
    options,
    scripts,
    prompts,
    diagnostics,
  };
}

/**
 * Splits at the first-level headings outside code. Text before the first heading is a comment. An unclosed block in a prompt is
 * ignored, because it would hide the sections below it.
 */
function splitSections(text: string): Section[] {
  const sections: Section[] = [];
  const lines = text.replace(/\n$/, "").split("\n");
  let at = 0;
  const isCode = createFenceReader((ticks) => {
    const isInPrompt = Object.hasOwn(roles, sections.at(-1)?.title ?? "");
    return !isInPrompt || hasFenceEnd(lines, at, ticks);
  });
  for (const [index, line] of lines.entries()) {
    at = index;
    if (!isCode(line) && /^#(?!#)/.test(line))
      sections.push({ ...readHeading(line), line: index + 1, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

function firstParagraph({ lines }: Section): string | undefined {
  const text = lines.join("\n").trim();
  return text === "" ? undefined : text.split(/\n\s*\n/, 1)[0]?.replaceAll(/\s+/g, " ");
}

function readHeading(line: string): { title: string; marks: string | null } {
  const marks = /`([^`]+)`/.exec(line)?.[1] ?? null;
  const title = line.slice(1).split("`", 1)[0] ?? "";
  return { title: title.trim().toLowerCase(), marks };
}

/** Returns the first code block in `language`. */
function findBlock(section: Section, language: string): AipScript | undefined {
  const start = section.lines.findIndex((line) =>
    new RegExp(`^\`{3,}${language}\\b`, "i").test(line),
  );
  if (start === -1) return undefined;
  const ticks = /^`+/.exec(section.lines[start] ?? "")?.[0] ?? "";
  const ends = new RegExp(`^${ticks}(?!\`)`);
  const length = section.lines.slice(start + 1).findIndex((line) => ends.test(line));
  const code = section.lines.slice(start + 1, length === -1 ? undefined : start + 1 + length);
  return { code: code.join("\n"), line: section.line + start + 2 };
}

function addScript(
  scripts: Aip["scripts"],
  stage: AipStage,
  section: Section,
  report: (finding: Omit<Diagnostic, "path" | "column">) => void,
): void {
  const block = findBlock(section, "lua");
  if (block === undefined) {
    if (section.lines.some((line) => line.trim() !== "")) report(noCode(section, "lua"));
    return;
  }
  const previous = scripts[stage];
  if (previous === undefined) {
    scripts[stage] = block;
    return;
  }
  // AIPack runs both as one; blank lines in between keep the line numbers of the file.
  const gap = block.line - previous.line - previous.code.split("\n").length;
  scripts[stage] = {
    line: previous.line,
    code: `${previous.code}${"\n".repeat(gap + 1)}${block.code}`,
  };
  report({
    line: section.line,
    severity: "warning",
    code: "aip-section-twice",
    message: `\`${stageTitles[stage]}\` occurs twice; both run, one after the other.`,
    fix: "Write one section.",
  });
}

function noCode(section: Section, language: string): Omit<Diagnostic, "path" | "column"> {
  return {
    line: section.line,
    severity: "warning",
    code: "aip-no-code",
    message: `The section has no block that begins with \`\`\`${language}; its text is a comment.`,
    fix: `Put the code between \`\`\`${language} and \`\`\`.`,
  };
}

function unknownSection(section: Section): Omit<Diagnostic, "path" | "column"> {
  const known =
    "Description, Options, Before All, Data, System, Instruction (User, Inst), Assistant (Model, Mind Trick, Jedi Trick), Output, After All";
  return {
    line: section.line,
    severity: "warning",
    code: "aip-unknown-section",
    message: `\`# ${section.title}\` is not a section of an .aip file; its text is a comment. Expected one of: ${known}.`,
    fix: "Inside a prompt, begin headings with ##.",
  };
}

function bothOptions(sections: readonly Section[]): Omit<Diagnostic, "path" | "column"> {
  const config = sections.find((section) => section.title === "config");
  return {
    line: config?.line ?? 1,
    severity: "error",
    code: "aip-options",
    message: "Expected `# Options` or the older `# Config`; got both.",
    fix: "Move everything to `# Options`.",
  };
}
