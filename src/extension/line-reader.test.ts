import { expect, it } from "vitest";
import { createLineReader } from "./line-reader.ts";

it("lines are put together from parts, also where a character is cut in two", () => {
  const lines: string[] = [];
  const reader = createLineReader(100, (line) => lines.push(line));
  for (const byte of Buffer.from("één\r\n\n  two\nthree")) reader.add(Buffer.from([byte]));
  expect(lines).toEqual(["één", "two"]);
  reader.add(Buffer.from("\n"));
  expect(lines).toEqual(["één", "two", "three"]);
});

it("a line that is too long is refused, whether it ends or not", () => {
  const ignore = (): undefined => undefined;
  expect(() => createLineReader(3, ignore).add(Buffer.from("1234"))).toThrow(RangeError);
  expect(() => createLineReader(3, ignore).add(Buffer.from("1234\n"))).toThrow(RangeError);
  const reader = createLineReader(3, ignore);
  reader.add(Buffer.from("123\n12"));
  reader.add(Buffer.from("3\n"));
  expect(() => reader.add(Buffer.from("1\n2345"))).toThrow(RangeError);
});
