import * as fc from "fast-check";
import { expect, test } from "vitest";
import { injectTask } from "./inject-task.ts";

test("every placeholder is replaced, with or without spaces", () => {
  expect(injectTask("a {{task}} b {{ task }} c", "T")).toBe("a T b T c");
});

test("without a placeholder the task follows the body", () => {
  expect(injectTask("Do it well.\n", "T")).toBe("Do it well.\n\nT");
  expect(injectTask("", "T")).toBe("T");
});

test("the task is inserted verbatim, without patterns and without replacing placeholders in it", () => {
  const task = "$& $1 $` {{task}} {{ other }}";
  expect(injectTask("<{{task}}>", task)).toBe(`<${task}>`);
});

test("any task is inserted unchanged", () => {
  fc.assert(
    fc.property(fc.string(), (task) => {
      expect(injectTask("[{{task}}]", task)).toBe(`[${task}]`);
      expect(injectTask("body", task)).toBe(`body\n\n${task}`);
    }),
  );
});
