import { CadreError } from "../../errors.ts";
import { confine } from "../../tool/path/path-confinement.ts";
import { openRegular } from "../../tool/path/regular-file.ts";

/** The size limit of a file for the coder, in bytes. */
export const maxFileBytes: number = 256 * 1024;

/** A file with its text. */
export interface FileText {
  /** Relative to the workspace, with `/`. */
  path: string;
  text: string;
}

/** A file that was left out, and a short reason. */
export interface LeftOutFile {
  path: string;
  why: string;
}

/** The number of bytes that may still be read. */
export interface ByteBudget {
  left: number;
}

/** The folders that files may be in. */
export interface ReadableFolders {
  /** Absolute, symlinks resolved. */
  workspace: string;
  /** Other allowed folders. */
  alsoReadable?: readonly string[];
  signal?: AbortSignal;
}

/** The bytes of the tags around a file, without its path. They matter for many small files. */
const tagBytes = 64;

type Outcome = { text: string; bytes: number } | { why: string };

/**
 * Reads text files until `budget` is used up. Leaves out the first file that does not fit and all after it, and binary, too large
 * and unreadable files. Returns each of these with the reason.
 */
export async function readFiles(
  paths: readonly string[],
  folders: ReadableFolders,
  budget: ByteBudget,
): Promise<{ files: FileText[]; leftOut: LeftOutFile[] }> {
  const files: FileText[] = [];
  const leftOut: LeftOutFile[] = [];
  for (const [index, path] of paths.entries()) {
    folders.signal?.throwIfAborted();
    const around = tagBytes + Buffer.byteLength(path);
    const outcome = await readOne(path, folders, budget.left - around);
    if (outcome === null) {
      const why = "the total size is reached";
      leftOut.push(...paths.slice(index).map((rest) => ({ path: rest, why })));
      budget.left = 0;
      break;
    }
    if ("why" in outcome) {
      leftOut.push({ path, why: outcome.why });
    } else {
      budget.left -= outcome.bytes + around;
      files.push({ path, text: outcome.text });
    }
  }
  return { files, leftOut };
}

/** Reads one file; `null` when it does not fit into the budget. */
async function readOne(
  path: string,
  folders: ReadableFolders,
  left: number,
): Promise<Outcome | null> {
  try {
    const { handle, stats } = await openRegular(confine(path, folders));
    try {
      if (stats.size > maxFileBytes) return { why: `larger than ${maxFileBytes / 1024} KiB` };
      if (stats.size > left) return null;
      return decode(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof CadreError) return { why: `cannot be read (${error.message})` };
    throw error;
  }
}

function decode(content: Buffer): Outcome {
  if (content.includes(0)) return { why: "binary" };
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    return { text, bytes: content.length };
  } catch {
    return { why: "not UTF-8 text" };
  }
}
