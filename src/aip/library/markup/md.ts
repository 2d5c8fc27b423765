// Library functions for Markdown and HTML.

import { isRecord, type JsonObject, type JsonValue } from "../../../source/json.ts";
import {
  type AipModule,
  type Arguments,
  anyOf,
  isAbsent,
  optionsOf,
  type Several,
  textArgument,
  textOption,
  wantsExtrusion,
} from "../arguments.ts";
import { parseJsonc } from "../format/json.ts";
import { findMarkdownReferences } from "./md-reference.ts";
import { linesOf } from "../text.ts";
import { parseToml } from "../format/toml.ts";
import { parseYaml } from "../format/yaml.ts";

/** `aip.md`. */
export const md: AipModule = {
  extract_blocks: extractBlocks,
  extract_meta: extractMeta,
  outer_block_content_or_raw: (args) => outerBlock(textArgument(args, 1)),
  extract_refs: (args) => (isAbsent(args, 1) ? [] : findMarkdownReferences(textArgument(args, 1))),
};

/** A fenced code block with its lines. */
interface Block {
  info: string;
  content: string;
  start: number;
  /** The line after it. */
  end: number;
}

/** Finds the blocks of a text, without an unclosed one. */
function findBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let open: { ticks: number; start: number; info: string } | undefined;
  for (const [index, line] of lines.entries()) {
    const ticks = /^`{3,}/.exec(line)?.[0].length ?? 0;
    if (ticks === 0) continue;
    if (open === undefined) open = { ticks, start: index, info: line.slice(ticks).trim() };
    else if (ticks === open.ticks) {
      const content = lines.slice(open.start + 1, index).map((inner) => `${inner}\n`);
      blocks.push({
        info: open.info,
        content: content.join(""),
        start: open.start,
        end: index + 1,
      });
      open = undefined;
    }
  }
  return blocks;
}

function languageOf(block: Block): string {
  return block.info.split(/\s/, 1)[0] ?? "";
}

function without(lines: readonly string[], blocks: readonly Block[]): string[] {
  return lines.filter(
    (_, index) => !blocks.some((block) => index >= block.start && index < block.end),
  );
}

function extractBlocks(args: Arguments): JsonValue[] | Several {
  const lines = linesOf(textArgument(args, 1));
  const isLanguage = typeof anyOf(args, 2) === "string";
  const options = isLanguage ? {} : optionsOf(args, 2);
  const language = isLanguage ? textArgument(args, 2) : textOption(args, options, "lang");
  const blocks = findBlocks(lines).filter(
    (block) => language === undefined || languageOf(block) === language,
  );
  const values = blocks.map((block) => ({ lang: languageOf(block), content: block.content }));
  if (!wantsExtrusion(args, options)) return values;
  const rest = without(lines, blocks).map((line) => `${line}\n`);
  return { several: [values, rest.join("")] };
}

/** The languages of meta blocks. */
const metaLanguages: ReadonlySet<string> = new Set(["toml", "json", "yaml", "yml"]);
const metaMark = /^\s*(?:#|\/\/)!meta\b/;

function extractMeta(args: Arguments): Several {
  if (isAbsent(args, 1)) return { several: [undefined, undefined] };
  const lines = textArgument(args, 1).split(/\r?\n/);
  const blocks = findBlocks(lines).filter(
    (block) => metaMark.test(block.content) && metaLanguages.has(languageOf(block)),
  );
  const meta = Object.fromEntries(
    blocks.flatMap((block) => Object.entries(readMeta(block, args.name))),
  );
  return { several: [meta, without(lines, blocks).join("\n")] };
}

function readMeta(block: Block, name: string): JsonObject {
  const language = languageOf(block);
  const place = `${name}: the meta block at line ${block.start + 1}`;
  const body = block.content.slice(block.content.indexOf("\n") + 1);
  const value = parseMeta(language, body, place);
  if (isRecord(value)) return value;
  if (value === null || value === undefined) return {};
  throw new Error(`${place} must contain keys and values`);
}

function parseMeta(language: string, body: string, place: string): JsonValue | undefined {
  if (language === "toml") return parseToml(body, place);
  if (language === "json") return parseJsonc(body, place);
  const documents = parseYaml(body, place) as JsonValue[];
  return documents[0];
}

function outerBlock(content: string): string {
  const lines = linesOf(content);
  const first = lines.findIndex((line) => line.trim() !== "");
  const ticks = /^`{3,}/.exec(lines[first] ?? "")?.[0];
  if (ticks === undefined) return content;
  const last = lines.findLastIndex((line) => line.startsWith(ticks));
  if (last <= first) return content;
  return lines
    .slice(first + 1, last)
    .map((line) => `${line}\n`)
    .join("");
}
