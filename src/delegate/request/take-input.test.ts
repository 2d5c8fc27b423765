import { expect, test } from "vitest";
import { createPlainDefinition } from "../../../test/fixtures/engine-fixture.ts";
import type { AgentFormat } from "../../agent/definition/agent.ts";
import { takeInput } from "./take-input.ts";

const inputSchema = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
};

const agent = (format: AgentFormat, given: object = {}) =>
  createPlainDefinition({ name: "a", source: { format, scope: "library", path: null }, ...given });

test("a program gets a table beside its task, a prompt agent reads it after its task", () => {
  const given = { task: "Do it.", input: { n: 1 } };
  expect(takeInput(agent("program"), given)).toEqual({ task: "Do it.", inputs: [{ n: 1 }] });
  expect(takeInput(agent("claude"), given)).toEqual({ task: 'Do it.\n\n[Input]:\n{\n  "n": 1\n}' });
  expect(takeInput(agent("claude"), { input: ["x"] })).toEqual({ task: '[\n  "x"\n]' });
  expect(takeInput(agent("program"), { task: "Do it." })).toEqual({ task: "Do it." });
  expect(() => takeInput(agent("program"), { task: "x", input: [1] })).toThrow(
    "whose input must be a table",
  );
});

test("an .aip agent accepts text or any other value as its input", () => {
  expect(takeInput(agent("aip"), { task: "words" })).toEqual({ task: "words", inputs: ["words"] });
  expect(takeInput(agent("aip"), { task: "t", input: [1] })).toEqual({ task: "t", inputs: [[1]] });
  expect(takeInput(agent("aip"), {})).toEqual({ task: "Run a." });
  expect(takeInput(agent("aip"), { input: "words" }).task).toBe("words");
});

test("only an .aip agent accepts several inputs", () => {
  const two = { inputs: ["x", { n: 1 }] };
  expect(takeInput(agent("aip"), two)).toEqual({ task: "Run a on 2 inputs.", ...two });
  expect(takeInput(agent("aip"), { task: "t", ...two })).toEqual({ task: "t", ...two });
  expect(takeInput(agent("aip"), { inputs: [" "] })).toEqual({ task: "Run a.", inputs: [" "] });
  expect(takeInput(agent("aip"), { inputs: [] })).toEqual({ task: "Run a.", inputs: [] });
  expect(() => takeInput(agent("aip"), { input: "x", ...two })).toThrow("got both");
  expect(() => takeInput(agent("program"), two)).toThrow("only `.aip` agents take several");
});

test("an input schema is checked against the input, or against the task as JSON", () => {
  const strict = agent("program", { inputSchema });
  const input = { path: "x" };
  expect(takeInput(strict, { task: "t", input }).inputs).toEqual([input]);
  expect(takeInput(strict, { task: JSON.stringify(input) }).inputs).toEqual([input]);
  expect(takeInput(agent("cadre", { inputSchema }), { task: '{"path":"x"}' }).task).toContain(
    '"path": "x"',
  );
  for (const [given, problem] of [
    [{ task: "words" }, "expected `input`, or a task that is JSON; got neither"],
    [{ task: '{"path":5}' }, "path: expected string, got 5"],
    [{ task: "t", input: {} }, "path: expected a value, got nothing"],
  ] as const) {
    const act = (): unknown => takeInput(strict, given);
    expect(act).toThrow(problem);
    expect(act).toThrow('The schema: {"type":"object"');
  }
  expect(() => takeInput(agent("program", { inputSchema: { type: 5 } }), { input })).toThrow(
    "its inputSchema is not valid",
  );
});
