import { expect, test } from "vitest";
import { planPipeline } from "./plan.ts";

test("a plan lists the agents of each event in order", () => {
  const plan = planPipeline({
    sub_agents: [
      "a",
      { name: "b", on: ["b::end", "end"] },
      { name: "c", enabled: false },
      { name: "d", on: ["start", "b::end"] },
      { name: "e", on: "task::end" },
      { on: "start" },
    ],
  });
  const events = plan.events.map(({ event, isRoot, agents }) => ({
    event,
    isRoot,
    agents: agents.map(({ name }) => name),
  }));
  expect(events).toEqual([
    { event: "start", isRoot: true, agents: ["a", "d"] },
    { event: "task::start", isRoot: true, agents: [] },
    { event: "task::end", isRoot: true, agents: ["e"] },
    { event: "end", isRoot: true, agents: ["b"] },
    { event: "b::end", isRoot: false, agents: ["b", "d"] },
  ]);
  expect(plan.disabled.map(({ name }) => name)).toEqual(["c"]);
  expect(plan.findings).toMatchObject([{ code: "entry-name", keys: ["sub_agents", 5] }]);
});

test("a plan of a prompt file without agents has the root events only", () => {
  const { events, disabled, findings } = planPipeline({});
  expect(events.flatMap(({ agents }) => agents)).toEqual([]);
  expect([events.length, disabled, findings]).toEqual([4, [], []]);
});
