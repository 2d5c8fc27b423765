import { expect, test } from "vitest";
import { z } from "zod";
import { explainIssue } from "./explain-issue.ts";

const schema = z.object({
  text: z.string(),
  count: z.number().int(),
  list: z.array(z.string()),
  map: z.record(z.string(), z.string()),
  mode: z.enum(["ask", "auto", "plan"]),
  own: z.string({ error: "the schema says" }),
  few: z.string().min(3),
  some: z.string().min(1),
  above: z.number().positive(),
  small: z.number().max(9),
  items: z.array(z.number()).max(2),
  either: z.union([z.enum(["a", "b"]), z.array(z.string())]),
  worded: z.union([z.string({ error: "words of the schema" }), z.number().min(2)]),
});

const valid = {
  text: "",
  count: 1,
  list: [],
  map: {},
  mode: "ask",
  own: "",
  few: "abc",
  some: "a",
  above: 1,
  small: 1,
  items: [],
  either: "a",
  worded: "a",
};

function messageOf(change: Record<string, unknown>): string | undefined {
  const parsed = schema.safeParse({ ...valid, ...change }, { error: explainIssue });
  return parsed.error?.issues[0]?.message;
}

test.each([
  [{ text: undefined }, "is missing, expected text"],
  [{ text: 5 }, "expected text, got 5"],
  [{ text: null }, "expected text, got null"],
  [{ text: ["a"] }, "expected text, got a list"],
  [{ text: {} }, "expected text, got an object"],
  [{ text: () => 1 }, "expected text, got a function"],
  [{ count: "often" }, 'expected a number, got "often"'],
  [{ count: 1.5 }, "expected a whole number, got 1.5"],
  [{ count: "x".repeat(100) }, `expected a number, got "${"x".repeat(39)}…`],
  [{ list: "a" }, 'expected a list, got "a"'],
  [{ map: 1 }, "expected an object, got 1"],
  [{ mode: "quick" }, 'expected "ask", "auto" or "plan", got "quick"'],
  [{ own: 1 }, "the schema says"],
  [{ few: "a" }, 'expected text of at least 3 characters, got "a"'],
  [{ some: "" }, "expected text, got an empty text"],
  [{ above: 0 }, "expected a number above 0, got 0"],
  [{ small: 10 }, "expected a number of at most 9, got 10"],
  [{ items: [1, 2, 3] }, "expected a list of at most 2, got one of 3"],
  [{ either: "c" }, 'expected "a" or "b" or a list, got "c"'],
  [{ either: undefined }, 'is missing, expected "a" or "b" or a list'],
  [{ worded: true }, "expected text or a number, got true"],
  [{ worded: 1 }, "expected a number of at least 2, got 1"],
  [{ few: "" }, "expected text of at least 3 characters, got an empty text"],
  [{ either: ["c", 1] }, "1: expected text, got 1"],
])("%j: %s", (change, message) => {
  expect(messageOf(change)).toBe(message);
});
