import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { PassThrough, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { CadreError } from "../../errors.ts";

const maxBytes = 5 * 1024 * 1024;
const textTypes =
  /^(?:text\/|application\/(?:json|xml|xhtml\+xml|javascript|ecmascript|x-ndjson|yaml|x-yaml|toml)$|.*\+(?:json|xml)$|image\/svg\+xml$)/;

/**
 * Reads the text of a response, decompressed and decoded.
 *
 * @throws CadreError `tool-failed` for content that is not text, or larger than 5 MiB when decompressed.
 */
export async function readResponseText(
  response: IncomingMessage,
): Promise<{ text: string; type: string }> {
  const header = response.headers["content-type"] ?? "text/plain";
  const type = (header.split(";")[0] ?? "").trim().toLowerCase();
  if (!textTypes.test(type)) {
    response.destroy();
    throw new CadreError("tool-failed", `Expected text; the page is ${type || "of no type"}.`);
  }
  const body = await readBody(response);
  if (body.subarray(0, 8192).includes(0))
    throw new CadreError("tool-failed", `Expected text; the page declares ${type} but is binary.`);
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(header)?.[1] ?? "utf-8";
  return { text: decoderFor(charset).decode(body), type };
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const decoder = decompressor(response.headers["content-encoding"] ?? "identity");
  const pieces: Buffer[] = [];
  let size = 0;
  await pipeline(response, decoder, async (stream: AsyncIterable<Buffer>) => {
    for await (const piece of stream) {
      size += piece.length;
      if (size > maxBytes)
        throw new CadreError("tool-failed", `The page is larger than ${maxBytes} bytes.`);
      pieces.push(piece);
    }
  });
  return Buffer.concat(pieces);
}

function decompressor(encoding: string): Transform {
  switch (encoding.trim().toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    case "identity":
    case "":
      return new PassThrough();
    default:
      throw new CadreError(
        "tool-failed",
        `Expected gzip, deflate, br or no compression; the page uses ${encoding}.`,
      );
  }
}

function decoderFor(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    // Unknown charset: UTF-8 is the best guess.
    return new TextDecoder();
  }
}
