import { expect, test } from "vitest";
import type { AipStage } from "./aip.ts";
import { readFlow } from "./flow.ts";
import type { LuaValue } from "../lua/lua-value.ts";
import { omitUndefined } from "../../omit-undefined.ts";

const of = (kind: string, data?: LuaValue): LuaValue => ({
  _aipack_: { kind, ...omitUndefined({ data }) },
});

test("the result of a stage is a value or a response of aip.flow", () => {
  expect(readFlow(undefined, "data")).toEqual({ kind: "value", value: null });
  expect(readFlow({ _aipack_: 1 }, "data")).toEqual({ kind: "value", value: { _aipack_: 1 } });
  expect(readFlow(of("Skip"), "output")).toEqual({ kind: "skip", reason: "" });
  expect(readFlow(of("Skip", { reason: "no" }), "data")).toEqual({ kind: "skip", reason: "no" });
  expect(readFlow(of("Redo"), "after-all")).toEqual({ kind: "redo" });
  for (const nothing of [undefined, null, [], {}]) {
    const flow = readFlow(of("DataResponse", nothing), "data");
    expect(flow).toEqual({ kind: "response", fields: {}, options: {} });
  }
  expect(readFlow(of("DataResponse", { data: 1, options: { model: "m" } }), "data")).toMatchObject({
    fields: { data: 1 },
    options: { model: "m" },
  });
});

test.each<[string, LuaValue, AipStage, string]>([
  ["Redo", undefined, "data", "can be returned only from # Before All or # After All"],
  ["Skip", {}, "after-all", "Skip of aip.flow cannot be returned from # After All"],
  ["Foo", {}, "output", "Foo of aip.flow cannot be returned from # Output"],
  [
    "DataResponse",
    "x",
    "data",
    "data_response expects a table with input, data, attachments, options, got a string",
  ],
  [
    "BeforeAllResponse",
    [1],
    "before-all",
    "expects a table with inputs, before_all, options, got a list",
  ],
  [
    "BeforeAllResponse",
    { input: 1 },
    "before-all",
    "expects only inputs, before_all, options, got input",
  ],
  ["BeforeAllResponse", { inputs: "x" }, "before-all", "expected inputs to be a list"],
  ["DataResponse", { options: { top_p: "x" } }, "data", "the option top_p is invalid"],
])("%s of %j is refused from %s", (kind, data, stage, problem) => {
  expect(() => readFlow(of(kind, data), stage)).toThrow(problem);
});
