import { expect, test } from "vitest";
import { agentFileFormats } from "../formats.ts";
import { agentKindOf } from "./agent-kind.ts";

test("an agent file of any text format is a prompt without code", () => {
  const formats = agentFileFormats.filter(({ name }) => name !== "program");
  for (const format of [...formats.map(({ name }) => name), "library"]) {
    const kind = agentKindOf({ format });
    expect([format, kind.isProgram, kind.code, kind.noun]).toEqual([format, false, null, "agent"]);
  }
});

test("an unknown format from a journal is a prompt, also one with the name of a property of objects", () => {
  for (const format of ["later", "constructor", "__proto__"]) {
    expect(agentKindOf({ format })).toEqual(agentKindOf({ format: "claude" }));
  }
});

test("every kind with code in its file is a program", () => {
  const kinds = ["program", "aip", "prompt", "recipe"].map((format) => agentKindOf({ format }));
  expect(kinds.map(({ isProgram, code }) => [isProgram, code?.name])).toEqual([
    [true, "program"],
    [true, "Lua"],
    [true, undefined],
    [false, undefined],
  ]);
});
