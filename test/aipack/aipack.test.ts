import { expect, test } from "vitest";
import { applyChanges } from "../../src/aip/library/save-changes.ts";
import { applyPatch } from "../../src/aip/library/patch.ts";
import { change } from "./expectation/change.ts";
import { patch } from "./expectation/patch.ts";

test.each(patch)("the patch %j", ({ content, patch: hunks, after, difference }) => {
  const result = applyPatch(content, hunks);
  const given = result.failed.length > 0 ? null : result.content;
  expect(given).toBe(difference === undefined ? after : difference.here);
});

test.each(change)("the changes %j", ({ content, changes, after, changed, failed, difference }) => {
  if (after === null) {
    expect(() => applyChanges(content, changes, "aip.file.save_changes")).toThrow(/line \d/);
    return;
  }
  const result = applyChanges(content, changes, "aip.file.save_changes");
  expect(result.content).toBe(difference === undefined ? after : difference.here);
  if (changed !== undefined) expect(result.changed).toBe(changed);
  if (failed !== undefined) expect(result.failed.map(({ search }) => search)).toEqual(failed);
});
