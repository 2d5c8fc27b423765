import type { FileHandle } from "node:fs/promises";
import { CadreError } from "../../errors.ts";
import { sha256 } from "../path/regular-file.ts";
import type { ToolOutcome } from "../tool.ts";

/** The largest image that providers accept. */
const imageBytes = 5 * 1024 * 1024;

/** Returns the media type of an image by its first bytes, regardless of its name; `undefined` for other content. */
export function imageType(start: Buffer): string | undefined {
  const text = start.subarray(0, 12).toString("latin1");
  if (text.startsWith("\x89PNG\r\n\x1A\n")) return "image/png";
  if (text.startsWith("\xFF\xD8\xFF")) return "image/jpeg";
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "image/gif";
  if (text.startsWith("RIFF") && text.slice(8) === "WEBP") return "image/webp";
  return undefined;
}

/** Reads an image into an outcome. */
export async function readImage(
  handle: FileHandle,
  image: { path: string; mediaType: string; size: number },
): Promise<ToolOutcome> {
  const { path, mediaType, size } = image;
  if (size > imageBytes) {
    throw new CadreError(
      "tool-failed",
      `${path} is an image of ${size} bytes; at most ${imageBytes} can be shown. Make it smaller with Bash first.`,
    );
  }
  const content = Buffer.alloc(size);
  const { bytesRead } = await handle.read(content, 0, size, 0);
  const bytes = content.subarray(0, bytesRead);
  return {
    text: `${path} (${mediaType}, ${bytesRead} bytes)`,
    images: [{ mediaType, data: bytes.toString("base64") }],
    files: [{ path, hash: sha256(bytes), change: "read" }],
  };
}
