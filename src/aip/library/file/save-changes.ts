import type { JsonObject } from "../../../source/json.ts";
import { type Arguments, type AskHost, type Several, textArgument } from "../arguments.ts";
import { changeFile } from "./change-file.ts";

const marks = { search: "<<<<<<< SEARCH", middle: "=======", replace: ">>>>>>> REPLACE" } as const;

interface Block {
  search: string;
  replace: string;
}

/** The result of SEARCH/REPLACE blocks. */
export interface AppliedChanges {
  content: string;
  changed: number;
  /** The blocks whose text is not in the content. */
  failed: Block[];
}

/** `aip.file.save_changes`: applies {@link applyChanges} to a file. For a new file, the changes are its whole content. */
export function saveChanges(args: Arguments, ask: AskHost): Several {
  const path = textArgument(args, 1);
  const changes = textArgument(args, 2);
  const { info, changed, failed } = changeFile(ask, path, (before) =>
    before === undefined
      ? { content: changes, changed: 1, failed: [] }
      : applyChanges(before, changes, args.name),
  );
  const failures: JsonObject[] = failed.map(({ search, replace }) => ({
    search,
    replace,
    reason: "The text to replace is not in the file.",
  }));
  // Packs test whether failed_changes exists.
  const result = {
    changed_count: changed,
    ...(failures.length > 0 && { failed_changes: failures }),
  };
  return { several: [info, result] };
}

/**
 * Applies SEARCH/REPLACE blocks one after the other, each to the first place with its text, even inside a line. Text without
 * blocks replaces the whole content. Keeps Windows line endings.
 *
 * @throws Error that begins with `name` for text outside blocks and for a block without its markers.
 */
export function applyChanges(content: string, changes: string, name: string): AppliedChanges {
  const lines = changes.replaceAll("\r\n", "\n").split("\n");
  if (!lines.includes(marks.search)) return { content: changes, changed: 1, failed: [] };
  const isWindows = content.includes("\r\n");
  const applied: AppliedChanges = {
    content: isWindows ? content.replaceAll("\r\n", "\n") : content,
    changed: 0,
    failed: [],
  };
  for (const block of readBlocks(lines, name)) {
    const next = applyBlock(applied.content, block);
    if (next === undefined) applied.failed.push(block);
    else applied.changed += 1;
    applied.content = next ?? applied.content;
  }
  if (isWindows) applied.content = applied.content.replaceAll("\n", "\r\n");
  return applied;
}

function readBlocks(lines: readonly string[], name: string): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.trim() === "") continue;
    if (line !== marks.search)
      throw new Error(
        `${name}: expected line ${at + 1} of the changes to be ${marks.search} or empty, got ${JSON.stringify(line.slice(0, 100))}`,
      );
    const middle = findMark(lines, { mark: marks.middle, from: at + 1, name });
    const end = findMark(lines, { mark: marks.replace, from: middle + 1, name });
    const [search, replace] = [lines.slice(at + 1, middle), lines.slice(middle + 1, end)];
    blocks.push({ search: search.join("\n"), replace: replace.join("\n") });
    at = end;
  }
  return blocks;
}

function findMark(
  lines: readonly string[],
  { mark, from, name }: { mark: string; from: number; name: string },
): number {
  const at = lines.indexOf(mark, from);
  if (at !== -1) return at;
  throw new Error(`${name}: the block at line ${from} of the changes has no line ${mark}`);
}

function applyBlock(content: string, { search, replace }: Block): string | undefined {
  const start = content.indexOf(search);
  if (start === -1) return undefined;
  let end = start + search.length;
  const isWholeLine = start === 0 || content.charAt(start - 1) === "\n";
  // Removed whole lines leave no empty line.
  if (replace === "" && search !== "" && isWholeLine && content.charAt(end) === "\n") end += 1;
  return content.slice(0, start) + replace + content.slice(end);
}
