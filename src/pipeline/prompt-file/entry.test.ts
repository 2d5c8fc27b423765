import { describe, expect, test } from "vitest";
import { normalizeEntries } from "./entry.ts";

describe("an entry of sub_agents", () => {
  test.each([
    ["a name", "a", { name: "a", enabled: true, on: ["start"] }],
    ["a table", { name: "a" }, { name: "a", enabled: true, on: ["start"] }],
    ["one event", { name: "a", on: "end" }, { name: "a", enabled: true, on: ["end"] }],
    [
      "every event",
      { name: "a", on: ["start", "end", "task::start", "task::end", "b::end"] },
      { name: "a", enabled: true, on: ["start", "end", "task::start", "task::end", "b::end"] },
    ],
    [
      "options and what else it says",
      { name: "pro@coder/x", enabled: false, options: { model: "m" }, some_prop: [1] },
      {
        name: "pro@coder/x",
        enabled: false,
        on: ["start"],
        options: { model: "m" },
        some_prop: [1],
      },
    ],
    [
      "fields without a value",
      { name: "a", enabled: null, on: null, options: null },
      { name: "a", enabled: true, on: ["start"] },
    ],
  ])("as %s is normalised", (_, entry, config) => {
    expect(normalizeEntries([entry])).toEqual({ configs: [config], findings: [] });
  });

  test.each([
    ["a number", 5, [0], "entry-shape"],
    ["a list", ["a"], [0], "entry-shape"],
    ["nothing", null, [0], "entry-shape"],
    ["an empty name", "", [0, "name"], "entry-name"],
    ["no name", { on: "start" }, [0], "entry-name"],
    ["a name that is a number", { name: 3 }, [0, "name"], "entry-name"],
    ["an empty on", { name: "a", on: [] }, [0, "on"], "entry-on"],
    ["an on that is an empty text", { name: "a", on: "" }, [0, "on"], "event-name"],
    ["an on like a set of Lua", { name: "a", on: { start: null } }, [0, "on"], "entry-on"],
    ["an on that is a number", { name: "a", on: 1 }, [0, "on"], "entry-on"],
    ["an event that is a number", { name: "a", on: ["start", 1] }, [0, "on", 1], "event-name"],
    ["a bare event", { name: "a", on: "done" }, [0, "on"], "event-name"],
    ["half a namespace", { name: "a", on: ["a::"] }, [0, "on", 0], "event-name"],
    ["an event with spaces", { name: "a", on: ["a:: b"] }, [0, "on", 0], "event-name"],
    ["enabled as a text", { name: "a", enabled: "no" }, [0, "enabled"], "entry-enabled"],
    ["options as a list", { name: "a", options: ["x"] }, [0, "options"], "entry-options"],
    ["stage_pre", { name: "a", stage_pre: true }, [0, "stage_pre"], "entry-legacy"],
    ["stage_post", { name: "a", stage_post: false }, [0, "stage_post"], "entry-legacy"],
    ["coder_stage", { name: "a", coder_stage: "pre" }, [0, "coder_stage"], "entry-legacy"],
  ])("with %s is an error with its place", (_, entry, keys, code) => {
    const { configs, findings } = normalizeEntries([entry]);
    expect(configs).toEqual([]);
    expect(findings).toMatchObject([{ keys, code, severity: "error" }]);
  });

  test.each([
    [{ name: "a", stage_pre: true }, "on: start"],
    [{ name: "a", stage_post: true }, "on: end"],
    [{ name: "a", coder_stage: "pre_task" }, "on: task::start"],
  ])("with a field of an earlier version suggests a fix: %j", (entry, words) => {
    expect(normalizeEntries([entry]).findings[0]?.fix).toContain(words);
  });

  test.each([
    ["Start", "Write `start`."],
    ["post_task", "Write `task::end`."],
  ])("with the event %s suggests the right one", (on, fix) => {
    const { findings } = normalizeEntries([{ name: "a", on }]);
    expect(findings).toMatchObject([{ severity: "error", fix }]);
  });

  test("on coder::start is kept, with a warning that this event is never dispatched", () => {
    const { configs, findings } = normalizeEntries([{ name: "a", on: "coder::start" }]);
    expect(configs).toMatchObject([{ on: ["coder::start"] }]);
    expect(findings).toMatchObject([
      { severity: "warning", code: "event-never-dispatched", fix: "Write `start`." },
    ]);
  });

  test.each([
    ["taks::end", "task::end"],
    ["tasks::start", "task::start"],
    ["Task::Start", "task::start"],
    ["coder::strat", "start"],
  ])("that waits for %s gets a suggestion of %s", (event, meant) => {
    const { configs, findings } = normalizeEntries(["a", { name: "b", on: ["end", event] }]);
    expect(configs[1]?.on).toEqual(["end", event]);
    expect(findings).toMatchObject([
      { severity: "warning", keys: [1, "on", 1], code: "event-never-dispatched" },
    ]);
    expect(findings[0]?.message).toContain(`Did you mean \`${meant}\`?`);
  });

  test.each(["test::end", "task::reviewed", "tasks::end", "a::end", "auto-context::end"])(
    "that waits for %s, an event in an agent's namespace, gets no warning",
    (on) => {
      const entries = ["packs/tasks.aip", { name: "b", on }];
      expect(normalizeEntries(entries).findings).toEqual([]);
    },
  );

  test("with a repeated event runs once, with a warning", () => {
    const { configs, findings } = normalizeEntries([{ name: "a", on: ["end", "end"] }]);
    expect(configs).toMatchObject([{ on: ["end"] }]);
    expect(findings).toMatchObject([{ severity: "warning", keys: [0, "on", 1] }]);
  });

  test("is kept when another one is invalid", () => {
    const { configs, findings } = normalizeEntries([7, "b"]);
    expect(configs.map(({ name }) => name)).toEqual(["b"]);
    expect(findings).toHaveLength(1);
  });
});

test.each([["a text"], [{ name: "a" }], [1], [true]])("sub_agents as %j is an error", (value) => {
  const { configs, findings } = normalizeEntries(value);
  expect(configs).toEqual([]);
  expect(findings).toMatchObject([{ keys: [], code: "entries-not-a-list" }]);
});

test.each([[null], [undefined], [[]]])("sub_agents as %j is an empty list", (value) => {
  expect(normalizeEntries(value)).toEqual({ configs: [], findings: [] });
});
