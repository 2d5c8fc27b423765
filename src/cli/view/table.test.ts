import { expect, it } from "vitest";
import { formatTable } from "./table.ts";

it("aligns columns by width, cleans cells, and cuts the last one", () => {
  const rows = [
    ["漢字", "x\u001b[31my", "a long text that goes on"],
    ["a", "z", ""],
  ];
  expect(formatTable(["NAME", "B", "TEXT"], rows, 20)).toEqual([
    "NAME  B   TEXT",
    "漢字  xy  a long te…",
    "a     z",
  ]);
  expect(formatTable(["A"], [["never cut when there is no limit"]])[1]).toBe(
    "never cut when there is no limit",
  );
});
