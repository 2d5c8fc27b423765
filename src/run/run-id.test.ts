import { expect, test } from "vitest";
import { createRunId } from "./run-id.ts";

const now = Date.UTC(2026, 10, 1);

test("ids are unique, also within a millisecond", () => {
  const ids = Array.from({ length: 20_000 }, () => createRunId(now));
  expect(new Set(ids).size).toBe(ids.length);
});

test("ids sort in order of creation, within a millisecond and across", () => {
  const ids = Array.from({ length: 20_000 }, (_, index) =>
    createRunId(now + Math.floor(index / 5)),
  );
  expect(ids.toSorted()).toEqual(ids);
});

test("the part of an id after its dash is short enough to type", () => {
  expect(createRunId(now)).toMatch(/^[0-9a-z]{8}-[0-9a-z]{7}$/);
});
