import { type AipModule, type AskHost, isAbsent, textArgument } from "../arguments.ts";
import { encodings, type Encoding } from "./encoding.ts";

/** `aip.uuid`. The host provides random bytes and the time. */
export const uuid: AipModule = {
  new: (_, ask) => write(version4(ask)),
  new_v4: (_, ask) => write(version4(ask)),
  new_v4_b64: (_, ask) => encode(version4(ask), "b64"),
  new_v4_b64u: (_, ask) => encode(version4(ask), "b64u"),
  new_v4_b58: (_, ask) => encode(version4(ask), "b58"),
  new_v7: (_, ask) => write(version7(ask)),
  new_v7_b64: (_, ask) => encode(version7(ask), "b64"),
  new_v7_b64u: (_, ask) => encode(version7(ask), "b64u"),
  new_v7_b58: (_, ask) => encode(version7(ask), "b58"),
  to_time_epoch_ms: (args) => (isAbsent(args, 1) ? undefined : timeOf(textArgument(args, 1))),
};

function randomBytes(ask: AskHost): Buffer {
  return Buffer.from(ask("random") as string, "hex");
}

function mark(bytes: Buffer, version: number): Buffer {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes;
}

function version4(ask: AskHost): Buffer {
  return mark(randomBytes(ask), 4);
}

function version7(ask: AskHost): Buffer {
  const bytes = randomBytes(ask);
  bytes.writeUIntBE(ask("time.now") as number, 0, 6);
  return mark(bytes, 7);
}

function encode(bytes: Buffer, encoding: Encoding): string {
  return encodings[encoding](bytes);
}

function write(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  const cuts = [0, 8, 12, 16, 20, 32];
  return cuts
    .slice(1)
    .map((end, index) => hex.slice(cuts[index], end))
    .join("-");
}

/** Returns the time of a UUID version 1, 6 or 7; `undefined` for others. */
function timeOf(value: string): number | undefined {
  const hex = value.replaceAll("-", "");
  if (!/^[0-9a-f]{32}$/i.test(hex)) return undefined;
  const version = hex.charAt(12);
  if (version === "7") return Number.parseInt(hex.slice(0, 12), 16);
  const low = hex.slice(0, 8);
  const middle = hex.slice(8, 12);
  const high = hex.slice(13, 16);
  const ticks =
    version === "1" ? high + middle + low : version === "6" ? low + middle + high : undefined;
  if (ticks === undefined) return undefined;
  return Number((BigInt(`0x${ticks}`) - 0x01b21dd213814000n) / 10_000n);
}
