import { expect, test } from "vitest";
import { listAgents } from "./agent-list.ts";

const short = { name: "auto-context", enabled: true, on: ["start"] };

test.each([
  ["a model", "flash", [{ ...short, model: "flash" }]],
  ["true", true, [short]],
  ["a table", { enabled: false, mode: "expand" }, [{ ...short, enabled: false, mode: "expand" }]],
  ["a table on another event", { on: "x::y" }, [{ ...short, on: ["x::y"] }]],
  ["false", false, []],
  ["nothing", null, []],
])("auto_context as %s is short for an entry before the others", (_, value, added) => {
  const { agents, findings } = listAgents({ sub_agents: ["a"], auto_context: value });
  const rest = { name: "a", enabled: true, on: ["start"] };
  expect(agents.map(({ config }) => config)).toEqual([...added, rest]);
  expect(findings).toEqual([]);
});

test("auto_context only adds to an explicit entry of that agent", () => {
  const params = { sub_agents: [{ name: "auto-context", on: "end" }], auto_context: "flash" };
  expect(listAgents(params).agents.map(({ config }) => config.on)).toEqual([["end"]]);
});

test("agents and findings have places", () => {
  const { agents, findings } = listAgents({
    sub_agents: ["a", 5, { name: "b", on: [] }, "c"],
    auto_context: { on: [] },
  });
  expect(agents.map(({ keys }) => keys)).toEqual([
    ["sub_agents", 0],
    ["sub_agents", 3],
  ]);
  expect(findings.map(({ keys }) => keys)).toEqual([
    ["auto_context", "on"],
    ["sub_agents", 1],
    ["sub_agents", 2, "on"],
  ]);
  expect(listAgents({ auto_context: 5 }).findings).toMatchObject([{ code: "entry-shape" }]);
});
