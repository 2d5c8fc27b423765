import { expect, test } from "vitest";
import { z } from "zod";
import { closedObject } from "./closed-object.ts";

const schema = closedObject({ prompt: z.string(), timeout: z.number().optional() });

function messageOf(value: unknown): string | undefined {
  return schema.safeParse(value).error?.issues[0]?.message;
}

test("an object with the expected keys is accepted unchanged", () => {
  expect(schema.parse({ prompt: "x", timeout: 5 })).toEqual({ prompt: "x", timeout: 5 });
});

test("an unknown key is refused with the nearest known key", () => {
  expect(messageOf({ prompt: "x", timeuot: 5 })).toBe(
    "`timeuot` is not known. Did you mean `timeout`? Known: prompt, timeout.",
  );
});

test("a longer or shorter form of a key is recognised", () => {
  expect(messageOf({ prompt: "x", timeoutSeconds: 5 })).toContain("Did you mean `timeout`?");
});

test("several unknown keys are all named, with the known ones", () => {
  expect(messageOf({ prompt: "x", color: 1, promt: "y" })).toBe(
    "`color` is not known. `promt` is not known. Did you mean `prompt`? Known: prompt, timeout.",
  );
});

test("other problems keep their messages", () => {
  expect(messageOf({ prompt: 5 })).toBe("Invalid input: expected string, received number");
});
