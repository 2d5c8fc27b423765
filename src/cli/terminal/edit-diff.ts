import { readFileSync, statSync } from "node:fs";
import { structuredPatch } from "diff";
import type { ApprovalRequest } from "../../host.ts";

/** The size in bytes and the comparison time in milliseconds above which a change is shown as arguments instead. */
const limits = { bytes: 1 << 20, ms: 200 } as const;

/**
 * Returns the change that an `Edit` or `Write` call requests, as lines of a unified diff against the current file; `undefined`
 * for any other call, and when the comparison is too large.
 */
export function diffOfEdit({ tool, input, paths }: ApprovalRequest): string[] | undefined {
  const [path, ...others] = paths ?? [];
  if (path === undefined || others.length > 0) return undefined;
  const change = readChange(tool, input, path);
  return change === undefined ? undefined : diffOfTexts(change.before, change.after);
}

/** Returns the change from one text to another as lines of a unified diff; `undefined` when the comparison takes too long. */
export function diffOfTexts(before: string, after: string): string[] | undefined {
  const options = { context: 3, timeout: limits.ms };
  const patch = structuredPatch("", "", before, after, "", "", options);
  return patch?.hunks.flatMap(({ oldStart, newStart, lines }) => {
    const place = `@@ line ${Math.max(oldStart, 1)} -> ${Math.max(newStart, 1)} @@`;
    return [place].concat(lines);
  });
}

function readChange(
  tool: string,
  input: unknown,
  path: string,
): { before: string; after: string } | undefined {
  const values: Record<string, unknown> = { ...(input as object) };
  const { content, old_string: old, new_string: replacement, replace_all: isAll } = values;
  const file = readNow(path);
  if (file === undefined) return undefined;
  if (tool === "Write" && typeof content === "string") return { before: file, after: content };
  if (tool !== "Edit" || typeof old !== "string" || typeof replacement !== "string") return;
  if (!file.includes(old)) return undefined;
  const after =
    isAll === true ? file.replaceAll(old, () => replacement) : file.replace(old, () => replacement);
  return { before: file, after };
}

/** Returns the text of a file, empty for a new file; `undefined` for a large or special file. */
function readNow(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return "";
    return found.isFile() && found.size <= limits.bytes ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
