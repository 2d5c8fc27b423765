import type { FileHandle } from "node:fs/promises";
import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import type { StoredImage } from "../../run/run.ts";
import { formatSize } from "../../tool/path/file-size.ts";
import { confine } from "../../tool/path/path-confinement.ts";
import { imageType } from "../../tool/builtin/read-image.ts";
import { openRegular } from "../../tool/path/regular-file.ts";

/** An image of a task. */
export interface ImageRequest {
  /** base64, or a `data:` URL. */
  data?: string | undefined;
  /** A file in the workspace; instead of `data`. */
  path?: string | undefined;
  /** For example `image/png`. Must match the content. */
  mediaType?: string | undefined;
}

const maxImages = 20;
const maxBytes = 20 * 1024 * 1024;
const known = "png, jpeg, gif or webp";

/**
 * Checks the images of a task and stores their content in the registry.
 *
 * @throws CadreError `invalid-argument` with the problems of each image. Nothing is stored then.
 */
export async function storeImages(
  registry: Pick<Registry, "putContent">,
  images: readonly ImageRequest[],
  workspace: string,
): Promise<StoredImage[]> {
  if (images.length > maxImages) {
    throw refusal([`at most ${maxImages} images are expected, got ${images.length}`]);
  }
  const problems: string[] = [];
  const read: { mediaType: string; data: string }[] = [];
  for (const [index, image] of images.entries()) {
    try {
      read.push(await readImage(image, workspace));
    } catch (error) {
      if (!(error instanceof CadreError)) throw error;
      problems.push(`image ${index + 1}: ${error.message}`);
    }
  }
  if (problems.length > 0) throw refusal(problems);
  return read.map(({ mediaType, data }) => ({
    mediaType,
    content: registry.putContent({ data }),
  }));
}

async function readImage(
  image: ImageRequest,
  workspace: string,
): Promise<{ mediaType: string; data: string }> {
  const { data, path, mediaType } = image;
  if ((data === undefined) === (path === undefined)) {
    const got = data === undefined ? "neither" : "both";
    throw problem(`expected either \`data\` (base64) or \`path\`, got ${got}.`);
  }
  const url = data === undefined ? null : /^data:([\w/+.-]+);base64,/.exec(data);
  const bytes =
    path === undefined
      ? decode((data ?? "").slice(url?.[0].length ?? 0))
      : await readFile(path, workspace);
  const found = imageType(bytes);
  if (found === undefined) throw problem(`expected a ${known}; the data has none of these types.`);
  for (const declared of [mediaType, url?.[1]]) {
    if (declared === undefined || normalise(declared) === found) continue;
    throw problem(
      `it is declared as ${declared}, but its bytes are ${found}. Correct its mediaType.`,
    );
  }
  return { mediaType: found, data: bytes.toString("base64") };
}

function decode(data: string): Buffer {
  const text = data.replaceAll(/\s+/g, "");
  requireSize(Math.floor((text.length * 3) / 4));
  // Node ignores characters that are not base64, so check the text.
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    throw problem("expected `data` to be base64; it is not.");
  }
  return Buffer.from(text, "base64");
}

async function readFile(path: string, workspace: string): Promise<Buffer> {
  const { handle, stats } = await openRegular(confine(path, { workspace }));
  try {
    requireSize(stats.size);
    return await readBytes(handle, stats.size);
  } finally {
    await handle.close();
  }
}

/** Reads at most the allowed size, even when the file grows meanwhile. */
async function readBytes(handle: FileHandle, size: number): Promise<Buffer> {
  const content = Buffer.alloc(size);
  const { bytesRead } = await handle.read(content, 0, size, 0);
  return content.subarray(0, bytesRead);
}

function requireSize(bytes: number): void {
  if (bytes <= maxBytes) return;
  throw problem(
    `it has ${formatSize(bytes)}; at most ${formatSize(maxBytes)} are allowed. Make it smaller.`,
  );
}

function normalise(mediaType: string): string {
  const lower = mediaType.trim().toLowerCase();
  return lower === "image/jpg" ? "image/jpeg" : lower;
}

function problem(message: string): CadreError {
  return new CadreError("invalid-argument", message);
}

function refusal(problems: readonly string[]): CadreError {
  const list = problems.map((line) => `\n- ${line}`).join("");
  return problem(`The images of the task cannot be used:${list}`);
}
