import { expect, it } from "vitest";
import { createLineReader } from "./line-reader.ts";

it("lines are joined from chunks, even when a chunk ends inside a character", () => {
  const lines: string[] = [];
  const reader = createLineReader({
    limit: 100,
    onLine: (line) => lines.push(line),
    onTooLong: () => lines.push("too long"),
  });
  for (const byte of Buffer.from("één\r\n\n  two\nthree")) reader.add(Buffer.from([byte]));
  expect(lines).toEqual(["één", "two"]);
  reader.add(Buffer.from("\n"));
  expect(lines).toEqual(["één", "two", "three"]);
});

it("a line that is too long is left out and reported once, complete or not", () => {
  const seen: string[] = [];
  const create = () =>
    createLineReader({
      limit: 3,
      onLine: (line) => seen.push(line),
      onTooLong: () => seen.push("too long"),
    });
  create().add(Buffer.from("1234"));
  expect(seen.splice(0)).toEqual(["too long"]);
  create().add(Buffer.from("1234\n"));
  expect(seen.splice(0)).toEqual(["too long"]);
  const reader = create();
  reader.add(Buffer.from("123\n12"));
  reader.add(Buffer.from("3\n"));
  expect(seen.splice(0)).toEqual(["123", "123"]);
  reader.add(Buffer.from("1\n2345"));
  reader.add(Buffer.from("6\n789"));
  reader.add(Buffer.from("\n"));
  expect(seen).toEqual(["1", "too long", "789"]);
});
