import { expect, test } from "vitest";
import { wrapHelp } from "./wrap-help.ts";

test("paragraphs are filled, headings and indented lines stay", () => {
  const text = "Examples:\n  cadre a\n\nOne sentence\nthat goes on and on.\nAnd another one.";
  expect(wrapHelp(text, 24)).toBe(
    "Examples:\n  cadre a\n\nOne sentence that goes\non and on. And another\none.",
  );
});

test("the rows of a table stay apart", () => {
  expect(wrapHelp("yes  allow it\nno   deny it", 24)).toBe("yes  allow it\nno   deny it");
});

test("an explanation that does not fit beside its example follows it", () => {
  expect(wrapHelp("  cadre a b    starts all of them", 24)).toBe(
    "  cadre a b\n      starts all of them",
  );
  expect(wrapHelp("  cadre a    one", 24)).toBe("  cadre a    one");
});
