import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CadreError } from "../errors.ts";
import { createFolder } from "../source/file/create-folder.ts";
import { errorMessage } from "../error-message.ts";

const keyBytes = 32;

/**
 * Reads the user's random key in `folder`, which only its owner can read. The first call creates it. Cadre signs the
 * user's answers with it, so that it can detect forged ones.
 *
 * @throws CadreError `config-invalid` when the key can neither be read nor created.
 */
export function readUserKey(folder: string): Buffer {
  const path = join(folder, "approval-key");
  try {
    return parseKey(readFileSync(path, "utf8"), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw unusable(path, error);
  }
  try {
    makeKey(folder, path);
    return parseKey(readFileSync(path, "utf8"), path);
  } catch (error) {
    throw unusable(path, error);
  }
}

/**
 * Creates the key as a link to a complete file. Of several processes, the first succeeds, and none reads half a
 * key.
 */
function makeKey(folder: string, path: string): void {
  createFolder(folder, 0o700);
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${randomBytes(keyBytes).toString("hex")}\n`, { flag: "wx", mode: 0o600 });
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function parseKey(text: string, path: string): Buffer {
  if (/^[0-9a-f]{64}\n?$/.test(text)) return Buffer.from(text.trim(), "hex");
  throw new CadreError(
    "config-invalid",
    `Expected ${path} to hold ${keyBytes * 2} hexadecimal digits; got something else. Delete it: a new key is created, and questions of unfinished runs are asked again.`,
    { details: { path } },
  );
}

function unusable(path: string, error: unknown): CadreError {
  if (error instanceof CadreError) return error;
  const reason = errorMessage(error);
  const message = `The key ${path} cannot be read or created (${reason}). Check that its folder is writable, or set XDG_STATE_HOME to another folder.`;
  return new CadreError("config-invalid", message, { details: { path }, cause: error });
}
