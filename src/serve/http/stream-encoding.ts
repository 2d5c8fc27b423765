import { promisify } from "node:util";
import { constants, deflateRaw, deflateRawSync } from "node:zlib";

/** How the bytes of a stream of events are sent. */
export type StreamEncoding = "gzip" | "identity";

/** Compresses in another thread. */
const deflate = promisify<Uint8Array, typeof how, Buffer<ArrayBuffer>>(deflateRaw);

/** After a full flush no byte refers to an earlier one, so that readers who began anywhere can share what follows. */
const how = { level: 1, finishFlush: constants.Z_FULL_FLUSH };

/** The header of RFC 1952: deflated, without a name or a time. */
const gzipHeader = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

const encoder = new TextEncoder();

/** Chooses what a client accepts. */
export function chooseEncoding(request: Request): StreamEncoding {
  const accepted = request.headers.get("accept-encoding") ?? "";
  return /\bgzip\b(?!;q=0(?:[,\s]|$))/.test(accepted) ? "gzip" : "identity";
}

/** Returns a part of a stream. The parts of a compressed stream are joined as they are, in any order. */
export async function encodePart(text: string, encoding: StreamEncoding): Promise<Uint8Array> {
  const bytes = encoder.encode(text);
  return encoding === "identity" || bytes.length === 0 ? bytes : await deflate(bytes, how);
}

/** Returns the first part of a stream. */
export function encodeBegin(text: string, encoding: StreamEncoding): Uint8Array {
  const part = encodeShort(text, encoding);
  return encoding === "identity" ? part : Buffer.concat([gzipHeader, part]);
}

/** Returns a short part of a stream at once. */
export function encodeShort(text: string, encoding: StreamEncoding): Uint8Array {
  return encoding === "identity" ? encoder.encode(text) : deflateRawSync(text, how);
}
