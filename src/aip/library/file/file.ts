// Library functions for files: reading, writing, patches and archives.

import { type JsonObject, type JsonValue } from "../../../source/json.ts";
import type { LuaValue } from "../../lua/lua-value.ts";
import {
  type AipModule,
  anyOf,
  type Arguments,
  type AskHost,
  isAbsent,
  listArgument,
  optionsOf,
  textArgument,
  textOption,
  textsOf,
} from "../arguments.ts";
import { encodings } from "../hash/encoding.ts";
import { contentOf } from "./file-content.ts";
import { fileCsv } from "./file-csv.ts";
import { fileHtml } from "./file-html.ts";
import { algorithms, hashEndings } from "../hash/hash.ts";
import { parseJsonc, parseNdjson, writeSortedJson } from "../format/json.ts";
import { findMarkdownSections, splitFirstSection } from "../markup/md-section.ts";
import { saveChanges } from "./save-changes.ts";
import { endWithNewline } from "../text.ts";
import { parseToml } from "../format/toml.ts";
import { parseYaml } from "../format/yaml.ts";

/** `aip.file`. The host reads and writes files; this module parses their content. */
export const file: AipModule = {
  load: (args, ask) => ask("file.load", textArgument(args, 1), baseOf(args, 2)),
  save: (args, ask) => write(ask, textArgument(args, 1), savedContent(args)),
  append: (args, ask) => ask("file.write", textArgument(args, 1), textArgument(args, 2), "append"),
  delete: (args, ask) => ask("file.delete", textArgument(args, 1)),
  copy: (args, ask) =>
    ask("file.copy", textArgument(args, 1), textArgument(args, 2), overwrites(args)),
  move: (args, ask) =>
    ask("file.move", textArgument(args, 1), textArgument(args, 2), overwrites(args)),
  ensure_exists: ensureExists,
  ensure_dir: (args, ask) => ask("file.ensure_dir", textArgument(args, 1)),
  exists: (args, ask) => ask("path.kind", textArgument(args, 1)) !== null,
  info: (args, ask) => (isAbsent(args, 1) ? undefined : ask("file.info", textArgument(args, 1))),
  list: (args, ask) => listFiles(args, ask),
  list_load: (args, ask) =>
    listFiles(args, ask).map((found) =>
      load(ask, found, textOption(args, optionsOf(args, 2), "base_dir")),
    ),
  first: (args, ask) => listFiles(args, ask)[0],
  stats: (args, ask) => (isAbsent(args, 1) ? undefined : sumUp(listFiles(args, ask))),
  load_json: parsed((content, args) => parseJsonc(content, args.name)),
  load_ndjson: parsed((content, args) => parseNdjson(content, args.name)),
  load_toml: parsed((content, args) => parseToml(content, args.name)),
  load_yaml: parsed((content, args) => parseYaml(content, args.name)),
  append_json_line: (args, ask) =>
    ask("file.write", textArgument(args, 1), `${writeSortedJson(anyOf(args, 2))}\n`, "append"),
  append_json_lines: (args, ask) => {
    const lines = listArgument(args, 2).map((value) => `${writeSortedJson(value)}\n`);
    return ask("file.write", textArgument(args, 1), lines.join(""), "append");
  },
  save_changes: saveChanges,
  load_md_sections: parsed((content, args) =>
    findMarkdownSections(content, isAbsent(args, 2) ? undefined : textsOf(args, 2)),
  ),
  load_md_split_first: parsed((content) => splitFirstSection(content)),
  line_spans: parsed((content) => lineSpans(Buffer.from(content))),
  read_span: parsed((content, args) => {
    const [from, to] = [args.values[1], args.values[2]];
    if (typeof from !== "number" || typeof to !== "number" || from < 0 || to < from)
      throw new Error(`${args.name} expects a start and a later end, in bytes`);
    return Buffer.from(content).subarray(from, to).toString();
  }),
  ...fileCsv,
  ...fileHtml,
  ...hashes(),
};

/** Creates a function that parses the text of a file. */
function parsed(read: (content: string, args: Arguments) => LuaValue): AipModule[string] {
  return (args, ask) =>
    isAbsent(args, 1) ? undefined : read(contentOf(ask, textArgument(args, 1)), args);
}

function write(ask: AskHost, path: string, content: string): LuaValue {
  return ask("file.write", path, content, "replace");
}

function baseOf(args: Arguments, position: number): string | undefined {
  return textOption(args, optionsOf(args, position), "base_dir");
}

function overwrites(args: Arguments): boolean {
  return optionsOf(args, 3)["overwrite"] === true;
}

function savedContent(args: Arguments): string {
  const options = optionsOf(args, 3);
  let content = textArgument(args, 2);
  if (options["trim_start"] === true) content = content.trimStart();
  if (options["trim_end"] === true) content = content.trimEnd();
  return options["single_trailing_newline"] === true ? endWithNewline(content) : content;
}

function ensureExists(args: Arguments, ask: AskHost): LuaValue {
  const path = textArgument(args, 1);
  const content = isAbsent(args, 2) ? "" : textArgument(args, 2);
  const info = ask("file.write", path, content, "create");
  if (optionsOf(args, 3)["content_when_empty"] !== true || content === "") return info;
  return contentOf(ask, path).trim() === "" ? write(ask, path, content) : info;
}

function listFiles(args: Arguments, ask: AskHost): JsonObject[] {
  const options = optionsOf(args, 2);
  const found = ask("file.list", textsOf(args, 1), {
    base: textOption(args, options, "base_dir") ?? null,
    isAbsolute: options["absolute"] === true,
  });
  return found as JsonObject[];
}

function load(ask: AskHost, found: JsonObject, base: string | undefined): JsonValue {
  return ask("file.load", found["path"], base) ?? null;
}

function sumUp(found: readonly JsonObject[]): JsonObject {
  const numbers = (key: string): number[] =>
    found.flatMap((info) => (typeof info[key] === "number" ? [info[key]] : []));
  const range = (key: string): [number, number] =>
    found.length === 0 ? [0, 0] : [Math.min(...numbers(key)), Math.max(...numbers(key))];
  const [createdFirst, createdLast] = range("ctime");
  const [changedFirst, changedLast] = range("mtime");
  return {
    _type: "FileStats",
    total_size: numbers("size").reduce((sum, size) => sum + size, 0),
    number_of_files: found.length,
    ctime_first: createdFirst,
    ctime_last: createdLast,
    mtime_first: changedFirst,
    mtime_last: changedLast,
  };
}

function lineSpans(bytes: Buffer): JsonValue {
  const spans: [number, number][] = [];
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(10, start);
    const end = found === -1 ? bytes.length : found + 1;
    spans.push([start, end]);
    start = end;
  }
  return spans;
}

function hashes(): AipModule {
  const module: Record<string, AipModule[string]> = {};
  for (const algorithm of Object.keys(algorithms)) {
    for (const [ending, encoding] of Object.entries(hashEndings)) {
      module[`hash_${algorithm}${ending}`] = (args, ask) => {
        const hex = ask("file.hash", textArgument(args, 1), algorithm) as string;
        return encodings[encoding](Buffer.from(hex, "hex"));
      };
    }
  }
  return module;
}
