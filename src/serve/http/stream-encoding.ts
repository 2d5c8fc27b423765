import { promisify } from "node:util";
import { constants, deflateRaw, deflateRawSync } from "node:zlib";

/** The encoding of an event stream. */
export type StreamEncoding = "gzip" | "identity";

/** Compresses in another thread. */
const deflate = promisify<Uint8Array, typeof how, Buffer<ArrayBuffer>>(deflateRaw);

/** After a full flush no byte refers to an earlier one, so readers that began at different positions can share later parts. */
const how = { level: 1, finishFlush: constants.Z_FULL_FLUSH };

/** The header of RFC 1952: deflate, without a name or a time. */
const gzipHeader = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

const encoder = new TextEncoder();

/** Chooses an encoding that the client accepts. */
export function chooseEncoding(request: Request): StreamEncoding {
  const accepted = request.headers.get("accept-encoding") ?? "";
  return /\bgzip\b(?!;q=0(?:[,\s]|$))/.test(accepted) ? "gzip" : "identity";
}

/** Encodes a part of a stream. Compressed parts can be joined unchanged, in any order. */
export async function encodePart(text: string, encoding: StreamEncoding): Promise<Uint8Array> {
  const bytes = encoder.encode(text);
  return encoding === "identity" || bytes.length === 0 ? bytes : await deflate(bytes, how);
}

/** Encodes the first part of a stream. */
export function encodeBegin(text: string, encoding: StreamEncoding): Uint8Array {
  const part = encodeShort(text, encoding);
  return encoding === "identity" ? part : Buffer.concat([gzipHeader, part]);
}

/** Encodes a short part of a stream synchronously. */
export function encodeShort(text: string, encoding: StreamEncoding): Uint8Array {
  return encoding === "identity" ? encoder.encode(text) : deflateRawSync(text, how);
}
