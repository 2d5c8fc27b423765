import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../run/event.ts";
import type { Run } from "../../run/run.ts";
import { createLiveRuns, type LiveRuns } from "./live-runs.ts";

function waiting(lastSeq: number): Run {
  return { id: "root", rootId: "root", parentId: null, status: "queued", lastSeq } as Run;
}

test("a run that no process has executed has no children for the process that takes it; one that was executed may have some", () => {
  const fresh = createLiveRuns();
  fresh.adopt([waiting(1)]);
  expect(fresh.isChildless("root")).toBe(true);
  expect(fresh.hasNoChild("root", "tool/1/0")).toBe(true);
  const begun = createLiveRuns();
  begun.adopt([waiting(2)]);
  expect(begun.isChildless("root")).toBe(false);
  expect(begun.hasNoChild("root", "tool/1/0")).toBe(false);
});

/** A run of the family of `root` after its event `lastSeq`. */
function familyRun(id: string, more: Partial<Run> = {}): Run {
  const parentId = id === "root" ? null : "root";
  return { id, rootId: "root", parentId, status: "running", lastSeq: 3, ...more } as Run;
}

describe("a family that is completely here", () => {
  const created = { type: "run-created", seq: 1, at: 0 } as RunEvent;
  const idsOf = (runs: LiveRuns): string[] | undefined => runs.family("root")?.map(({ id }) => id);

  test("is one whose runs this process created, in their current state", () => {
    const runs = createLiveRuns();
    expect(runs.family("root")).toBeUndefined();
    runs.update({ ...created, runId: "root" }, familyRun("root"));
    runs.update({ ...created, runId: "child" }, familyRun("child"));
    runs.update(
      { ...created, runId: "child", seq: 4, type: "warning-raised" } as RunEvent,
      familyRun("child", { lastSeq: 4 }),
    );
    expect(runs.family("root")).toEqual([familyRun("root"), familyRun("child", { lastSeq: 4 })]);
  });

  test("is one that this process took over before one of its runs had ended", () => {
    const whole = createLiveRuns();
    whole.adopt([familyRun("root"), familyRun("child")]);
    expect(idsOf(whole)).toEqual(["root", "child"]);
    const left = createLiveRuns();
    left.adopt([familyRun("root"), familyRun("child", { status: "succeeded" })]);
    expect(idsOf(left)).toBeUndefined();
  });

  test("keeps the runs that are not durable yet when it is taken over again", () => {
    const runs = createLiveRuns();
    runs.adopt([familyRun("root")]);
    runs.update({ ...created, runId: "child" }, familyRun("child"));
    runs.adopt([familyRun("root")]);
    expect(idsOf(runs)).toEqual(["root", "child"]);
  });

  test("is no longer whole when a run has ended, or when it is given to another process", () => {
    const ended = createLiveRuns();
    ended.adopt([familyRun("root"), familyRun("child")]);
    ended.forget("child");
    expect(idsOf(ended)).toBeUndefined();
    ended.update({ ...created, runId: "later" }, familyRun("later"));
    expect(idsOf(ended)).toBeUndefined();
    const given = createLiveRuns();
    given.adopt([familyRun("root"), familyRun("child")]);
    given.forgetFamily("root");
    expect(idsOf(given)).toBeUndefined();
  });
});
