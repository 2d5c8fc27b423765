import * as fc from "fast-check";

/** The code points between these are halves of characters, not characters. */
const [firstHalf, halves] = [0xd800, 0x800];

/**
 * Any character of Unicode, as the unit of `fc.string`. fast-check's own unit `"binary"` has the same characters, and makes a table of all of
 * them first: a second of CPU time and 70 MB in each worker.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: 0x10ffff - halves }).map(
  (index) => String.fromCodePoint(index < firstHalf ? index : index + halves),
  (character) => {
    const code = typeof character === "string" ? character.codePointAt(0) : undefined;
    const isOne = code !== undefined && String.fromCodePoint(code) === character;
    if (!isOne || !character.isWellFormed())
      throw new Error(`expected one character, got ${JSON.stringify(character)}`);
    return code < firstHalf ? code : code - halves;
  },
);
