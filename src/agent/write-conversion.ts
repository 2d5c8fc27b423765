import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { CadreError } from "../errors.ts";
import type { Conversion } from "./convert.ts";

/**
 * Writes a converted definition to its format's folder below `root`, and returns the file, absolute.
 *
 * @throws CadreError `invalid-argument` when there is a file already, which stays as it is, or none can be written.
 */
export async function writeConversion(root: string, { path, text }: Conversion): Promise<string> {
  const file = resolve(root, path);
  try {
    await mkdir(dirname(file), { recursive: true });
    // Exclusive creation, not a look before: a file that appears meanwhile is kept too.
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
      ? `${file} is there already, and was kept. Remove or rename it first, or write the text to another place yourself.`
      : `Expected to write ${file}, but that is not possible (${reason}). Check that its folder is one, and writable.`;
  return new CadreError("invalid-argument", message, { details: { path: file }, cause });
}
