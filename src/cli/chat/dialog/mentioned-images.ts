import { readFile, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { UsageError } from "../../arguments/usage-error.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import type { SpawnOptions } from "../../../host.ts";

type Images = NonNullable<SpawnOptions["images"]>;

const mention = /(?:^|\s)@(?:"([^"\n]+)"|(\S+?))(?=[\s,;:!?]|$)/gu;

/** The size limit of an image, in bytes; Cadre accepts no larger one. */
const maxBytes = 20 * 1024 * 1024;

/** Reports whether a file with this name is an image that models can read. */
export function isImageName(path: string): boolean {
  return /\.(png|jpe?g|gif|webp)$/i.test(path);
}

/**
 * Returns the images that the user's text mentions as `@path`, for a request. Paths are relative to `folder` and may point outside of
 * it. Mentions of other files stay text.
 *
 * @throws UsageError for an image outside of `folder` that is too large.
 */
export async function mentionedImages(text: string, folder: string): Promise<Images> {
  const paths = new Set(
    Array.from(text.matchAll(mention), ([, quoted, plain]) => quoted ?? plain ?? ""),
  );
  const read = [...paths].filter(isImageName).map((path) => readMention(path, folder));
  return (await Promise.all(read)).flat();
}

/** Agents read no files outside their folder, but a user may send such a file by naming it. */
async function readMention(path: string, folder: string): Promise<Images> {
  const file = resolve(folder, path);
  const stats = await stat(file).catch(() => undefined);
  if (stats?.isFile() !== true) return [];
  const inside = relative(folder, file);
  if (!inside.startsWith("..") && !isAbsolute(inside)) return [{ path: inside }];
  if (stats.size > maxBytes) {
    const name = cleanLine(path);
    throw new UsageError(`Expected an image of at most 20 MiB; ${name} has ${stats.size} bytes.`);
  }
  return [{ data: await readFile(file, "base64") }];
}
