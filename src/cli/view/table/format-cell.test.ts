import { expect, test } from "vitest";
import { formatIdCell, formatTimeCell } from "./format-cell.ts";

const now = new Date(2026, 10, 21, 23, 15, 16).getTime();

test.each([
  [new Date(2026, 10, 21, 3, 5, 9), "03:05:09"],
  [new Date(2026, 10, 20, 23, 59, 59), "11-20 23:59"],
  [new Date(2026, 0, 1, 0, 0, 0), "01-01 00:00"],
  [new Date(2025, 11, 31, 23, 59, 59), "2025-12-31"],
])("a list on a terminal shows the part of a time that tells it apart: %j", (date, shown) => {
  expect(formatTimeCell(date.getTime(), 80, now)).toBe(shown);
});

test("a list elsewhere shows whole times and ids", () => {
  expect(formatTimeCell(now, Infinity, now)).toBe("2026-11-21 23:15:16");
  expect(formatIdCell("mwz83rjm-6ooh0zf", Infinity)).toBe("mwz83rjm-6ooh0zf");
  expect(formatIdCell("mwz83rjm-6ooh0zf", 80)).toBe("6ooh0zf");
});
