import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CadreError } from "../errors.ts";
import type { ExtensionConfig, StoredExtension } from "../run/extension-config.ts";
import { isRecord } from "../source/json.ts";

/** Hex SHA-256 of a configuration; the order of its keys does not count. */
export function hashExtension(config: ExtensionConfig): string {
  return createHash("sha256").update(serialize(config)).digest("hex");
}

/**
 * Keeps a configuration, which may hold secrets, in `folder/extensions/HASH.json`, readable by its owner only, and returns
 * the form that may stand in a journal. Storing it again is no second copy.
 */
export async function storeExtension(
  folder: string,
  config: ExtensionConfig,
): Promise<StoredExtension> {
  const hash = hashExtension(config);
  const path = pathOf(folder, hash);
  await mkdir(join(folder, "extensions"), { recursive: true, mode: 0o700 });
  if (!(await touch(path))) await writeWhole(path, serialize(config));
  const { name, type, description } = config;
  return { name, hash, type, ...(description !== undefined && { description }) };
}

/**
 * The configuration that was stored.
 *
 * @throws CadreError `tool-unavailable` when it is not there any more, or was changed.
 */
export async function loadExtension(
  folder: string,
  { name, hash }: StoredExtension,
): Promise<ExtensionConfig> {
  const path = pathOf(folder, hash);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw lost(name, `its configuration should be in ${path}, but cannot be read`, cause);
  }
  // Whoever can write there could have any command started.
  if (createHash("sha256").update(text).digest("hex") !== hash) {
    throw lost(name, `its configuration in ${path} was changed`);
  }
  return JSON.parse(text) as ExtensionConfig;
}

/**
 * Removes the configurations that none of `used` refers to. Those stored within the last hour stay: the run they are for
 * may not be in the registry yet. Returns how many were removed.
 */
export async function pruneExtensions(folder: string, used: Iterable<string>): Promise<number> {
  const kept = new Set([...used].map((hash) => `${hash}.json`));
  const names = await readdir(join(folder, "extensions")).catch(() => []);
  const doubtful = names.filter((name) => name.endsWith(".json") && !kept.has(name));
  let removed = 0;
  for (const name of doubtful) {
    const path = join(folder, "extensions", name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs < youngMs) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}

const youngMs = 60 * 60 * 1000;

function pathOf(folder: string, hash: string): string {
  // A hash from a journal somebody else wrote must not lead out of the folder.
  return join(folder, "extensions", `${/^[0-9a-f]{64}$/.test(hash) ? hash : "invalid"}.json`);
}

/** Whether the file is there; it counts as new then. */
async function touch(path: string): Promise<boolean> {
  try {
    const now = new Date();
    await utimes(path, now, now);
    return true;
  } catch {
    return false;
  }
}

/** Written beside and renamed: nobody sees half of it. */
async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { flag: "wx", mode: 0o600 });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

function serialize(config: ExtensionConfig): string {
  return JSON.stringify(config, (_, value: unknown) =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
}

function lost(name: string, problem: string, cause?: unknown): CadreError {
  const message = `The MCP server ${name} cannot be started again: ${problem}. Start the run anew.`;
  return new CadreError("tool-unavailable", message, { details: { extension: name }, cause });
}
