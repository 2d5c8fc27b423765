// Library functions for hashes, encodings and UUIDs.

import { createHash } from "node:crypto";
import { loadLazily } from "../../../source/load-lazily.ts";
import { type AipModule, isAbsent, textArgument } from "../arguments.ts";
import type * as Blake3 from "./blake3-library.ts";
import { encodings, type Encoding } from "./encoding.ts";

/** Hash functions by AIPack's names. */
export const algorithms: Readonly<Record<Algorithm, (bytes: Uint8Array) => Buffer>> = {
  sha256: (bytes) => createHash("sha256").update(bytes).digest(),
  sha512: (bytes) => createHash("sha512").update(bytes).digest(),
  blake3: (bytes) => {
    const { blake3 } = loadLazily("./blake3-library", import.meta.url) as typeof Blake3;
    return Buffer.from(blake3(bytes));
  },
};

/** The name of a hash function. */
export type Algorithm = "sha256" | "sha512" | "blake3";

/** The encodings of a hash, by the suffix of the function's name. */
export const hashEndings: Readonly<Record<string, Encoding>> = {
  "": "hex",
  _b58: "b58",
  _b58u: "b58",
  _b64: "b64",
  _b64u: "b64u",
};

/** `aip.hash`: `sha256`, `sha256_b64` … A nil text gives nil. */
export const hash: AipModule = Object.fromEntries(
  (Object.keys(algorithms) as Algorithm[]).flatMap((algorithm) =>
    Object.entries(hashEndings).map(([ending, encoding]) => [
      `${algorithm}${ending}`,
      (args) =>
        isAbsent(args, 1)
          ? undefined
          : encodings[encoding](algorithms[algorithm](Buffer.from(textArgument(args, 1)))),
    ]),
  ),
) as AipModule;
