import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { Editor } from "../editor/editor.ts";
import type { CadreOptions } from "../../host.ts";

type ReadOpenText = NonNullable<CadreOptions["readOpenText"]>;

/** A session in an editor that reads files. */
interface EditorFiles {
  editor: Pick<Editor, "readText">;
  sessionId: string;
  /** The folder of the session, as the editor names it. */
  cwd: string;
  log: (line: string) => void;
  /** The time limit for one file, in milliseconds. Default 5000. */
  maxMs?: number;
}

/**
 * Returns a function that asks the editor for the text of a file, which may have unsaved changes. A file that the editor does not
 * return is read from the disk.
 */
export function readEditorText(files: EditorFiles): ReadOpenText {
  const { editor, sessionId, cwd, log, maxMs = 5000 } = files;
  const real = realpathSync(cwd);
  return async (path, signal) => {
    const timeout = AbortSignal.timeout(maxMs);
    try {
      // The editor knows the file below the path that it gave for its folder.
      const known = join(cwd, relative(real, path));
      const content = await editor.readText(sessionId, known, AbortSignal.any([signal, timeout]));
      return typeof content === "string" ? content : undefined;
    } catch {
      signal.throwIfAborted();
      if (timeout.aborted) log(`The editor did not give ${path} within ${maxMs / 1000} s.`);
      return undefined;
    }
  };
}
