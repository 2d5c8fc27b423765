import { expect, test } from "vitest";
import { createActivities } from "./activities.ts";
import { outputSince } from "./live-output.ts";

const piece = { runId: "r-1", step: "model/1", type: "text", id: "0" } as const;

test("replies are streamed while a watcher watches the run, or all runs", () => {
  const activities = createActivities();
  expect(activities.isWatched("r-1")).toBe(false);
  const onOutput = (): void => undefined;
  const [first, second] = [activities.watch("r-1", onOutput), activities.watch("r-1", onOutput)];
  expect([activities.isWatched("r-1"), activities.isWatched("r-2")]).toEqual([true, false]);
  first();
  first();
  expect(activities.isWatched("r-1")).toBe(true);
  second();
  expect(activities.isWatched("r-1")).toBe(false);
  const stop = activities.subscribe(onOutput);
  expect(activities.isWatched("r-2")).toBe(true);
  stop();
  expect(activities.isWatched("r-2")).toBe(false);
});

test("an arriving reply is held once for all watchers, until it has ended", () => {
  const activities = createActivities();
  let calls = 0;
  activities.watch("r-1", () => (calls += 1));
  for (const text of ["a", "b"]) activities.publish({ ...piece, text });
  activities.publish({ ...piece, type: "reasoning", text: "c" });
  activities.publish({ ...piece, runId: "r-2", text: "of another run" });
  activities.publish({ runId: "r-1", type: "progress", text: "not part of a reply" });
  expect(calls).toBe(3);
  expect([...activities.replies("r-1")]).toMatchObject([
    {
      step: "model/1",
      blocks: [
        { type: "text", text: "ab" },
        { type: "reasoning", text: "c" },
      ],
    },
  ]);
  activities.endReply("r-1", "model/1");
  activities.endReply("r-1", "model/1");
  expect([...activities.replies("r-1")]).toEqual([]);
});

test("the last part of a call's output is kept while the run is watched", () => {
  const activities = createActivities();
  const output = { runId: "r-1", step: "tool/1/0", type: "tool-output" } as const;
  activities.publish({ ...output, text: "for nobody" });
  expect([...activities.outputs("r-1")]).toEqual([]);
  activities.watch("r-1", () => undefined);
  activities.publish({ ...output, text: "one " });
  const [live] = activities.outputs("r-1");
  if (live === undefined) throw new Error("expected an output");
  activities.publish({ ...output, text: "two" });
  expect(outputSince(live, 0)).toBe("one two");
  expect(outputSince(live, 4)).toBe("two");
  activities.publish({ ...output, text: "x".repeat(40_000) });
  expect(live.text.length).toBe(32_768);
  expect(outputSince(live, 7)).toBe(`\n[7232 characters left out]\n${"x".repeat(32_768)}`);
  activities.endOutput("r-1", "tool/1/0");
  expect([...activities.outputs("r-1")]).toEqual([]);
});
