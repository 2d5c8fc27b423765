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
function member(id: string, more: Partial<Run> = {}): Run {
  const parentId = id === "root" ? null : "root";
  return { id, rootId: "root", parentId, status: "running", lastSeq: 3, ...more } as Run;
}

describe("a family that is completely here", () => {
  const created = { type: "run-created", seq: 1, at: 0 } as RunEvent;
  const idsOf = (runs: LiveRuns): string[] | undefined => runs.family("root")?.map(({ id }) => id);

  test("is one whose runs this process created, in their current state", () => {
    const runs = createLiveRuns();
    expect(runs.family("root")).toBeUndefined();
    runs.update({ ...created, runId: "root" }, member("root"));
    runs.update({ ...created, runId: "child" }, member("child"));
    runs.update(
      { ...created, runId: "child", seq: 4, type: "warning-raised" } as RunEvent,
      member("child", { lastSeq: 4 }),
    );
    expect(runs.family("root")).toEqual([member("root"), member("child", { lastSeq: 4 })]);
  });

  test("is one that this process took over before one of its runs had ended", () => {
    const whole = createLiveRuns();
    whole.adopt([member("root"), member("child")]);
    expect(idsOf(whole)).toEqual(["root", "child"]);
    const left = createLiveRuns();
    left.adopt([member("root"), member("child", { status: "succeeded" })]);
    expect(idsOf(left)).toBeUndefined();
  });

  test("keeps the runs that are not durable yet when it is taken over again", () => {
    const runs = createLiveRuns();
    runs.adopt([member("root")]);
    runs.update({ ...created, runId: "child" }, member("child"));
    runs.adopt([member("root")]);
    expect(idsOf(runs)).toEqual(["root", "child"]);
  });

  test("is no longer whole when a run has ended, or when it is given to another process", () => {
    const ended = createLiveRuns();
    ended.adopt([member("root"), member("child")]);
    ended.forget("child");
    expect(idsOf(ended)).toBeUndefined();
    ended.update({ ...created, runId: "later" }, member("later"));
    expect(idsOf(ended)).toBeUndefined();
    const given = createLiveRuns();
    given.adopt([member("root"), member("child")]);
    given.forgetFamily("root");
    expect(idsOf(given)).toBeUndefined();
  });
});
