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

it("cuts the widest columns when the last one is narrow already, and never the first", () => {
  const rows = [["7f3q01c-1234567", "a-very-long-name-of-an-agent", "12:00", "say what it does"]];
  const lines = formatTable(["RUN", "AGENT", "TIME", "TASK"], rows, 60);
  expect(lines).toEqual([
    "RUN              AGENT                 TIME   TASK",
    "7f3q01c-1234567  a-very-long-name-of…  12:00  say what it d…",
  ]);
  expect(formatTable(["RUN", "AGENT", "TIME", "TASK"], rows, 30)[1]).toBe(
    "7f3q01c-1234567  a-very-…  12:00  say wha…",
  );
});
