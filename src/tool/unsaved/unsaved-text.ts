// Texts that a program, such as an editor, has open and has not saved.

import { isUtf8 } from "node:buffer";
import { CadreError } from "../../errors.ts";
import { isInside } from "../../source/file/real-path.ts";
import type { ToolContext } from "../tool.ts";
import { inStillFolders } from "./still-folders.ts";

/**
 * Returns the text of a file that a program has open; `undefined` when it does not have the file open. The path is absolute,
 * without symlinks.
 */
export type ReadOpenText = (path: string, signal: AbortSignal) => Promise<string | undefined>;

/** A file of the workspace, as it is on disk. */
export interface SavedFile {
  path: string;
  content: Buffer;
}

/** The maximum size of a file to request from the program, in bytes. */
const maxBytes = 2 * 1024 * 1024;

/**
 * Returns the text that the program has open and has not saved; `undefined` when it equals the text on disk. Ignores line endings
 * and a byte-order mark, because programs convert them.
 *
 * @throws CadreError `tool-failed` when the folders of the file are replaced in the meantime.
 */
export async function readUnsaved(
  readOpen: ReadOpenText | undefined,
  { path, content }: SavedFile,
  { workspace, signal }: Pick<ToolContext, "workspace" | "signal">,
): Promise<string | undefined> {
  if (readOpen === undefined || content.length > maxBytes) return undefined;
  if (!isInside(path, workspace) || !isUtf8(content)) return undefined;
  const guarded = { path, root: workspace, signal };
  const open = await inStillFolders(guarded, async () => await readOpen(path, signal));
  if (open === undefined || toPlain(open) === toPlain(content.toString("utf8"))) return undefined;
  return open;
}

/**
 * Checks that no program has unsaved changes to a file before it is changed. Otherwise one of the changes would be lost.
 *
 * @throws CadreError `tool-failed` when there are unsaved changes.
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
