import { CadreError } from "../errors.ts";
import { confine } from "../tool/path-confinement.ts";
import { openRegular } from "../tool/regular-file.ts";

/** The largest file that is given to the coder, in bytes. */
export const maxFileBytes: number = 256 * 1024;

/** A file and what is in it. */
export interface FileText {
  /** Relative to the workspace, with `/`. */
  path: string;
  text: string;
}

/** A file that was left out, and why: a few words. */
export interface LeftOutFile {
  path: string;
  why: string;
}

/** How many bytes may still be read. */
export interface ByteBudget {
  left: number;
}

/** Where files may lie. */
export interface FilePlace {
  /** Absolute, symlinks resolved. */
  workspace: string;
  /** Where else they may lie. */
  alsoReadable?: readonly string[];
  signal?: AbortSignal;
}

/** What the tags around a file take besides its path, in bytes: many small files are as much as a few large ones. */
const tagBytes = 64;

type Outcome = { text: string; bytes: number } | { why: string };

/**
 * Reads text files until `budget` is used up: the first file that does not fit and all behind it are left out, and so are
 * binary files, too large ones and what cannot be read. Every one of them is named.
 */
export async function readFiles(
  paths: readonly string[],
  place: FilePlace,
  budget: ByteBudget,
): Promise<{ files: FileText[]; leftOut: LeftOutFile[] }> {
  const files: FileText[] = [];
  const leftOut: LeftOutFile[] = [];
  for (const [index, path] of paths.entries()) {
    place.signal?.throwIfAborted();
    const around = tagBytes + Buffer.byteLength(path);
    const outcome = await readOne(path, place, budget.left - around);
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

/** `null`: it does not fit into what is left. */
async function readOne(path: string, place: FilePlace, left: number): Promise<Outcome | null> {
  try {
    const { handle, stats } = await openRegular(confine(path, place));
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
