const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** The text encodings of bytes. */
export const encodings: Readonly<Record<Encoding, (bytes: Buffer) => string>> = {
  hex: (bytes) => bytes.toString("hex"),
  b64: (bytes) => bytes.toString("base64"),
  b64u: (bytes) => bytes.toString("base64url"),
  b58: encodeBase58,
};

/** The name of a text encoding. */
export type Encoding = "hex" | "b64" | "b64u" | "b58";

function encodeBase58(bytes: Buffer): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1;
  let number = bytes.length === 0 ? 0n : BigInt(`0x${bytes.toString("hex")}`);
  let text = "";
  for (; number > 0n; number /= 58n) text = alphabet.charAt(Number(number % 58n)) + text;
  return "1".repeat(zeros) + text;
}
