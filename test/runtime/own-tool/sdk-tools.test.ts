import { jsonSchema, tool as sdkTool, type ToolSet } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toolCall, lookup, runWithTools } from "../../fixtures/own-tools.ts";

describe("tools of the AI SDK", () => {
  const weather = sdkTool({
    description: "Tells the weather",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }, { toolCallId, abortSignal }) =>
      `${city}: ${toolCallId.endsWith("/tool/1/0")}, ${abortSignal?.aborted}`,
  });

  test("work as they are, alone and in sets, with their schemas, parts and conversions", async () => {
    const tools: ToolSet = {
      weather,
      count: sdkTool({
        description: "Counts",
        inputSchema: jsonSchema<{ to: number }>({
          type: "object",
          properties: { to: { type: "integer" } },
          required: ["to"],
        }),
        async *execute({ to }) {
          for (let number = 1; number <= to; number += 1) yield { number };
        },
      }),
      draw: sdkTool({
        description: "Draws",
        inputSchema: z.object({}),
        execute: () => "89504e470d0a1a0a0000",
        toModelOutput: ({ output }) => ({
          type: "content",
          value: [
            { type: "text", text: "a picture" },
            {
              type: "file",
              mediaType: "image/png",
              data: { type: "data", data: Buffer.from(output, "hex") },
            },
          ],
        }),
      }),
    };
    const calls = [
      toolCall("weather", { city: "Bern" }),
      toolCall("count", { to: 3 }),
      toolCall("count", { to: "x" }),
      toolCall("draw"),
    ];
    const { text } = await runWithTools([tools, lookup], calls);
    expect(text.split("\n").slice(0, 6)).toEqual([
      "Bern: true, false",
      '{"number":3}',
      "The arguments of count are not valid:",
      '- to: expected integer, got "x"',
      "a picture",
      "[image 1, image/png, 10 bytes]",
    ]);
    expect((await runWithTools(tools, calls.slice(0, 1))).text).toBe("Bern: true, false");
  });

  test("that need approval are asked about in every mode", async () => {
    const titles: string[] = [];
    const tools = { weather: { ...weather, needsApproval: true } };
    const { text } = await runWithTools(tools, [toolCall("weather", { city: "Bern" })], {
      mode: "auto",
      onApproval: async ({ title }) => (titles.push(title), { decision: "allow", scope: "once" }),
    });
    expect(titles).toEqual(['weather {"city":"Bern"}']);
    expect(text).toContain("Bern");
  });
});
