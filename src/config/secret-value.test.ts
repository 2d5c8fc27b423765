import { expect, test } from "vitest";
import { z } from "zod";
import { expecting, expectingPublic, explainSetting } from "./secret-value.ts";

/** Returns the messages about `value` for a schema that names nothing as secret. */
function explain(schema: z.ZodType, value: unknown): string {
  const { error } = schema.safeParse(value, { error: explainSetting });
  return error?.issues.map(({ message }) => message).join("; ") ?? "";
}

test.each([
  [z.string().regex(/^x/, expecting("an x")), "expected an x, got a text, which is not shown"],
  [z.array(z.string()), "expected a list, got a text, which is not shown"],
  [z.record(z.string(), z.string()), "expected an object, got a text, which is not shown"],
  [z.string().max(3), "expected text of at most 3 characters, got a text, which is not shown"],
])("a text in place of a text, a list or a map is never repeated: %#", (schema, message) => {
  expect(explain(schema, "sk-hidden")).toBe(message);
});

test.each([
  [z.string().regex(/^x/, expectingPublic("an x")), 'expected an x, got "ten"'],
  [z.number(), 'expected a number, got "ten"'],
  [z.boolean(), 'expected a boolean, got "ten"'],
  [z.enum(["on", "off"]), 'expected "on" or "off", got "ten"'],
])("a text is repeated where no secret belongs: %#", (schema, message) => {
  expect(explain(schema, "ten")).toBe(message);
});
