import { expect, test } from "vitest";
import { fitMap } from "./file-map.ts";

const file = {
  summary: "s".repeat(300),
  when_to_use: "w",
  public_types: ["T"],
  public_functions: [],
};
const mapOf = (count: number): Map<string, typeof file> =>
  new Map(Array.from({ length: count }, (_, index) => [`src/${index}.ts`, file]));

test("a large map is passed on in full, shortened, or in part, and always fits into an output", () => {
  expect(fitMap(mapOf(1000))).toEqual({ files: [...mapOf(1000)] });
  const { files: short } = fitMap(mapOf(3000));
  expect(short).toHaveLength(3000);
  expect(short[0]).toMatchObject(["src/0.ts", { summary: "s".repeat(120), public_types: [] }]);
  const { files: part, missing } = fitMap(mapOf(20_000));
  expect(part.length).toBeGreaterThan(1000);
  expect(missing).toContain(`shortened summaries of ${part.length} of its 20000 files`);
  expect(JSON.stringify(Object.fromEntries(part)).length).toBeLessThan(1024 * 1024);
});
