import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Stats } from "node:fs";

/** The size limit of a file for scripts, in bytes. */
const maxBytes = 32 * 1024 * 1024;

/**
 * Reads a regular file. Never blocks on a pipe.
 *
 * @throws Error that names `shown`.
 */
export async function readBytes(
  path: string,
  shown: string,
): Promise<{ bytes: Buffer; status: Stats }> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      throw new Error(`${shown} cannot be read: ${reasonOf(error)}`, { cause: error });
    },
  );
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw new Error(`${shown} is not a file`);
    if (status.size > maxBytes)
      throw new Error(`${shown} has ${status.size} bytes; the limit is ${maxBytes}`);
    return { bytes: await handle.readFile(), status };
  } finally {
    await handle.close();
  }
}

/** Describes the reason of a failed system call. */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES" || code === "EPERM") return "it is not permitted";
  return code ?? String(error);
}
