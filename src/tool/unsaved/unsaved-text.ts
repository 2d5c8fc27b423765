// Texts that a program has open and has not saved, such as those of an editor.

import { isUtf8 } from "node:buffer";
import { CadreError } from "../../errors.ts";
import { isInside } from "../../source/file/real-path.ts";
import type { ToolContext } from "../tool.ts";
import { inStillFolders } from "./still-folders.ts";

/**
 * Returns the text of a file as a program has it open; `undefined` when it does not have the file. The path is absolute, without
 * symlinks.
 */
export type ReadOpenText = (path: string, signal: AbortSignal) => Promise<string | undefined>;

/** A file of the workspace, as it is on disk. */
export interface SavedFile {
  path: string;
  content: Buffer;
}

/** The largest file that the program is asked for, in bytes. */
const mostBytes = 2 * 1024 * 1024;

/**
 * Returns the text that the program has open and has not saved; `undefined` when it has the same text as the disk. The ends of lines
 * and a byte-order mark do not count, because programs convert them.
 *
 * @throws CadreError `tool-failed` when the folders of the file are replaced meanwhile.
 */
export async function readUnsaved(
  readOpen: ReadOpenText | undefined,
  { path, content }: SavedFile,
  { workspace, signal }: Pick<ToolContext, "workspace" | "signal">,
): Promise<string | undefined> {
  if (readOpen === undefined || content.length > mostBytes) return undefined;
  if (!isInside(path, workspace) || !isUtf8(content)) return undefined;
  const guarded = { path, root: workspace, signal };
  const open = await inStillFolders(guarded, async () => await readOpen(path, signal));
  if (open === undefined || toPlain(open) === toPlain(content.toString("utf8"))) return undefined;
  return open;
}

/**
 * Checks that no program has unsaved changes to a file that is to be changed: they would be lost, or the change would.
 *
 * @throws CadreError `tool-failed` that says so.
 */
export async function requireSaved(
  readOpen: ReadOpenText | undefined,
  file: SavedFile,
  context: Pick<ToolContext, "workspace" | "signal">,
): Promise<void> {
  if ((await readUnsaved(readOpen, file, context)) === undefined) return;
  const message = `${file.path} has unsaved changes in the editor. Ask the user to save it, then read it again.`;
  throw new CadreError("tool-failed", message);
}

function toPlain(text: string): string {
  return text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
}
