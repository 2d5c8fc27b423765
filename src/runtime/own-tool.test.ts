import { tool as sdkTool, type ToolSet } from "ai";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineTool, type OwnTools, type StandardSchema } from "./own-tool.ts";

const base = { name: "act", description: "acts" };

test("the input of a tool has the type of its schema's output", () => {
  defineTool({
    ...base,
    input: z.object({
      count: z.int().default(1),
      word: z.string().transform((word) => word.length),
    }),
    execute: (input) => expectTypeOf(input).toEqualTypeOf<{ count: number; word: number }>(),
  });
  const input = { "~standard": {} } as StandardSchema<{ city: string }>;
  defineTool({
    ...base,
    input,
    execute: (given) => expectTypeOf(given).toEqualTypeOf<{ city: string }>(),
  });
});

test("the input of a tool with a JSON Schema is unknown, unless its type is given", () => {
  const input = { type: "object", properties: { city: { type: "string" } } };
  defineTool({ ...base, input, execute: (given) => expectTypeOf(given).toBeUnknown() });
  defineTool<{ city: string }>({
    ...base,
    input,
    execute: (given) => expectTypeOf(given).toEqualTypeOf<{ city: string }>(),
  });
  // @ts-expect-error A tool needs code.
  defineTool(base);
  // @ts-expect-error An access has a name.
  defineTool({ ...base, access: "reads", execute: () => "" });
});

test("an AI SDK tool set, and a list with one, are tools", () => {
  const sdk = sdkTool({ inputSchema: z.object({ a: z.string() }), execute: async ({ a }) => a });
  expectTypeOf<ToolSet>().toExtend<OwnTools>();
  expectTypeOf({ sdk }).toExtend<OwnTools>();
  expectTypeOf([defineTool({ ...base, execute: () => "" }), { sdk }]).toExtend<OwnTools>();
});
