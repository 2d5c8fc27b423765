import { expect, test } from "vitest";
import { z } from "zod";
import { closedObject } from "./closed-object.ts";

const schema = closedObject({ prompt: z.string(), timeout: z.number().optional() });

function messageOf(value: unknown): string | undefined {
  return schema.safeParse(value).error?.issues[0]?.message;
}

test("an object with the expected keys is taken as it is", () => {
  expect(schema.parse({ prompt: "x", timeout: 5 })).toEqual({ prompt: "x", timeout: 5 });
});

test("an unknown key is refused with the key that was meant", () => {
  expect(messageOf({ prompt: "x", timeuot: 5 })).toBe(
    "`timeuot` is not known. Did you mean `timeout`? Known: prompt, timeout.",
  );
});

test("a longer or shorter form of a key is recognised", () => {
  expect(messageOf({ prompt: "x", timeoutSeconds: 5 })).toContain("Did you mean `timeout`?");
});

test("of several unknown keys each is named, with all that are expected", () => {
  expect(messageOf({ prompt: "x", color: 1, promt: "y" })).toBe(
    "`color` is not known. `promt` is not known. Did you mean `prompt`? Known: prompt, timeout.",
  );
});

test("other problems keep their messages", () => {
  expect(messageOf({ prompt: 5 })).toBe("Invalid input: expected string, received number");
});
