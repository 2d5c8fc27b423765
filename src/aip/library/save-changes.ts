import type { JsonObject } from "../../source/json.ts";
import { type Arguments, type AskHost, type Several, textOf } from "./arguments.ts";
import { contentOf } from "./file-content.ts";

const marks = {
  search: /^<{5,9} SEARCH\s*$/,
  middle: /^={5,9}\s*$/,
  replace: /^>{5,9} REPLACE\s*$/,
};

interface Change {
  search: string[];
  replace: string[];
}

/**
 * `aip.file.save_changes`: SEARCH/REPLACE blocks applied to a file, each to the first lines that are the same. Text
 * without blocks, and a file that does not exist yet, is the whole new content.
 */
export function saveChanges(args: Arguments, ask: AskHost): Several {
  const path = textOf(args, 1);
  const changes = textOf(args, 2);
  const blocks = readChanges(changes, args.name);
  if (blocks.length === 0 || ask("path.kind", path) === null) {
    const info = ask("file.write", path, changes, "replace");
    return { several: [info, { changed_count: 1 }] };
  }
  const content = contentOf(ask, path);
  let lines = content.split("\n");
  const failed: JsonObject[] = [];
  for (const block of blocks) {
    const next = applyChange(lines, block);
    if (next === undefined)
      failed.push({
        search: block.search.join("\n"),
        replace: block.replace.join("\n"),
        reason: "The lines to replace are not in the file.",
      });
    else lines = next;
  }
  const info = ask("file.write", path, lines.join("\n"), "replace");
  const done = blocks.length - failed.length;
  // Packs test failed_changes for being there.
  const result = { changed_count: done, ...(failed.length > 0 ? { failed_changes: failed } : {}) };
  return { several: [info, result] };
}

function readChanges(text: string, name: string): Change[] {
  const changes: Change[] = [];
  let part: "search" | "replace" | undefined;
  for (const line of text.split("\n")) {
    const change = changes.at(-1);
    if (part === undefined && marks.search.test(line)) {
      changes.push({ search: [], replace: [] });
      part = "search";
    } else if (part === "search" && marks.middle.test(line)) part = "replace";
    else if (part === "replace" && marks.replace.test(line)) part = undefined;
    else if (part !== undefined) change?.[part].push(line);
  }
  if (part !== undefined) throw new Error(`${name}: a SEARCH/REPLACE block has no end`);
  return changes;
}

function applyChange(lines: readonly string[], { search, replace }: Change): string[] | undefined {
  if (search.every((line) => line.trim() === "")) {
    return lines.every((line) => line.trim() === "") ? [...replace] : undefined;
  }
  const at = findLines(lines, search);
  if (at === -1) return undefined;
  return [...lines.slice(0, at), ...replace, ...lines.slice(at + search.length)];
}

/** Where `wanted` stands in `lines`, from `from` on; -1 when nowhere. Spaces at ends of lines do not count. */
function findLines(lines: readonly string[], wanted: readonly string[], from = 0): number {
  for (let at = from; at + wanted.length <= lines.length; at += 1) {
    if (wanted.every((line, index) => lines[at + index]?.trimEnd() === line.trimEnd())) return at;
  }
  return -1;
}
