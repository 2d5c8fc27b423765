import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findUnexplainedRooms, readRooms, renderRooms } from "../../scripts/rooms.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const rooms = readRooms();

test("docs/rooms.md is what `npm run rooms` writes: every folder with sources, and no other", () => {
  expect(rooms.length).toBeGreaterThan(150);
  expect(read("docs/rooms.md") === renderRooms(rooms), "run `npm run rooms`").toBe(true);
});

test("exactly one file of each folder says the folder's purpose", () => {
  expect(findUnexplainedRooms(rooms)).toEqual([]);
  const mains = ["one.ts", "other.ts"].map((name) => ({ name, purpose: "Something." }));
  expect(
    findUnexplainedRooms([
      { folder: "src/none", mains: [] },
      { folder: "src/two", mains },
    ]),
  ).toEqual([
    "src/none: no file says in its first line what it is for.",
    "src/two: several files say in a first line what it is for: one.ts, other.ts. Begin the others with `/**`.",
  ]);
});

test("the floors of docs/architecture.md are the folders of `src`, and the page", () => {
  const table = read("docs/architecture.md").split("## Floors")[1]?.split("## Rooms")[0] ?? "";
  const rows = table.split("\n").filter((line) => line.startsWith("| "));
  const cells = rows.map((line) => line.split("|")[2] ?? "");
  const named = cells.flatMap((cell) =>
    Array.from(cell.matchAll(/`([\w-]+)\/`/g), ([, name = ""]) => name),
  );
  const folders = readdirSync(join(root, "src"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(named.toSorted()).toEqual([...folders, "page"].toSorted());
});
