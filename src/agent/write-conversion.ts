import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { CadreError } from "../errors.ts";
import type { Conversion } from "./convert.ts";

/**
 * Writes a converted definition to its format's folder below `root`, and returns the absolute path of the file.
 *
 * @throws CadreError `invalid-argument` if the file already exists or cannot be written. An existing file is kept.
 */
export async function writeConversion(root: string, { path, text }: Conversion): Promise<string> {
  const file = resolve(root, path);
  try {
    await mkdir(dirname(file), { recursive: true });
    // Exclusive creation also keeps a file that another process creates at the same time.
    await writeFile(file, text, { flag: "wx" });
    return file;
  } catch (error) {
    throw refuse(file, error);
  }
}

function refuse(file: string, cause: unknown): CadreError {
  const { code, message: reason } = cause as NodeJS.ErrnoException;
  const message =
    code === "EEXIST"
      ? `${file} already exists and was kept. Remove or rename it, or write the text to another file.`
      : `Cannot write ${file} (${reason}). Check that its folder exists and is writable.`;
  return new CadreError("invalid-argument", message, { details: { path: file }, cause });
}
