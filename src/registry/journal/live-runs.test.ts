import { expect, test } from "vitest";
import type { Run } from "../../run/run.ts";
import { createLiveRuns } from "./live-runs.ts";

function waiting(lastSeq: number): Run {
  return { id: "root", rootId: "root", parentId: null, status: "queued", lastSeq } as Run;
}

test("a run that nobody has executed has no children for the process that takes it; one that was executed may have some", () => {
  const fresh = createLiveRuns();
  fresh.adopt([waiting(1)]);
  expect(fresh.isChildless("root")).toBe(true);
  expect(fresh.hasNoChild("root", "tool/1/0")).toBe(true);
  const begun = createLiveRuns();
  begun.adopt([waiting(2)]);
  expect(begun.isChildless("root")).toBe(false);
  expect(begun.hasNoChild("root", "tool/1/0")).toBe(false);
});
