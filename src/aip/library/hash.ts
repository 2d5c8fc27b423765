import { createHash } from "node:crypto";
import { type AipModule, isAbsent, textOf } from "./arguments.ts";
import { blake3 } from "./blake3.ts";
import { encodings, type Encoding } from "./encoding.ts";

/** Hash functions by the names that packs use. */
export const algorithms: Readonly<Record<Algorithm, (bytes: Uint8Array) => Buffer>> = {
  sha256: (bytes) => createHash("sha256").update(bytes).digest(),
  sha512: (bytes) => createHash("sha512").update(bytes).digest(),
  blake3,
};

/** The name of a hash function. */
export type Algorithm = "sha256" | "sha512" | "blake3";

/** The ways to write a hash: the endings of the functions' names. */
export const hashEndings: Readonly<Record<string, Encoding>> = {
  "": "hex",
  _b58: "b58",
  _b58u: "b58",
  _b64: "b64",
  _b64u: "b64u",
};

/** `aip.hash`: `sha256`, `sha256_b64` … A text that is nil gives nil. */
export const hash: AipModule = Object.fromEntries(
  (Object.keys(algorithms) as Algorithm[]).flatMap((algorithm) =>
    Object.entries(hashEndings).map(([ending, encoding]) => [
      `${algorithm}${ending}`,
      (args) =>
        isAbsent(args, 1)
          ? undefined
          : encodings[encoding](algorithms[algorithm](Buffer.from(textOf(args, 1)))),
    ]),
  ),
) as AipModule;
