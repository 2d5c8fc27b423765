import { mkdirSync, writeFileSync, type WriteFileOptions } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorMessage } from "../../error-message.ts";
import { UsageError } from "./usage-error.ts";

/** A file that an option names for the output of a command. */
export interface OutputFile {
  /** The option, such as `--output`. */
  option: string;
  path: string;
}

/**
 * Writes `text` to a file that an option names, and creates its folder.
 *
 * @throws UsageError when it cannot be written.
 */
export function writeOutputFile(
  { option, path }: OutputFile,
  text: string,
  options: WriteFileOptions = {},
): void {
  try {
    mkdirSync(dirname(resolve(path)), { recursive: true });
    writeFileSync(path, text, options);
  } catch (error) {
    const reason = explain(path, error);
    throw new UsageError(`Expected a file that can be written after ${option}; ${reason}.`);
  }
}

/**
 * Writes `text` to a new file that an option names, and creates its folder. Only the user may read the file.
 *
 * @throws UsageError when it exists or cannot be written.
 */
export function writeNewFile(file: OutputFile, text: string): void {
  writeOutputFile(file, text, { flag: "wx", mode: 0o600 });
}

/**
 * Requires that a file can be written, before the command works on its content. Creates a missing one.
 *
 * @throws UsageError
 */
export function requireOutputFile(file: OutputFile): void {
  writeOutputFile(file, "", { flag: "a" });
}

function explain(path: string, error: unknown): string {
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  if (code === "ENOTDIR" || (syscall === "mkdir" && code === "EEXIST"))
    return `a folder in the path ${path} is a file`;
  if (code === "EISDIR") return `${path} is a folder`;
  if (code === "EEXIST") return `${path} exists already, and is not replaced. Name a new file`;
  if (code === "EACCES" || code === "EPERM") return `you have no permission to write ${path}`;
  return errorMessage(error);
}
