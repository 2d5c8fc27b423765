import { expect, it, vi } from "vitest";
import {
  createExtensionFixture,
  testServer,
} from "../../../test/fixtures/mcp/extension-fixture.ts";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import { createToolFixture } from "../../../test/fixtures/tool-call.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import type { ElicitRequest, OnElicit } from "./elicitation.ts";

async function greet(
  onElicit: OnElicit | undefined,
  options: { generation?: string; clock?: ReturnType<typeof createFakeClock> } = {},
): Promise<ToolOutcome> {
  const { generation = "", ...more } = options;
  const { host } = createExtensionFixture(onElicit === undefined ? more : { onElicit, ...more });
  const { tools } = await host.acquire("root", [testServer(generation)]);
  const tool = tools.find(({ name }) => name === "mcp__test__greet");
  if (tool === undefined) throw new Error("a tool was expected");
  return await createToolFixture().call(tool, {});
}

it.each(["", "newer"])(
  "a question reaches the user with the call it is about (%s)",
  async (generation) => {
    const asked: ElicitRequest[] = [];
    const outcome = await greet(
      async (request) => {
        asked.push(request);
        return { action: "accept", content: { name: "Ada" } };
      },
      { generation },
    );
    expect(outcome).toEqual({ text: "hello Ada" });
    expect(asked).toMatchObject([
      {
        extension: "test",
        message: "Who are you?",
        schema: { type: "object", properties: { name: { type: "string" } } },
        callers: [{ runId: "run", stepKey: "tool/1/0", tool: "mcp__test__greet" }],
      },
    ]);
  },
);

it("a question is declined when the user refuses, and cancelled when asking fails", async () => {
  const answers: OnElicit[] = [
    async () => ({ action: "decline" }),
    async () => await Promise.reject(new Error("the terminal is gone")),
  ];
  const greetings = answers.map((answer) => greet(answer));
  expect(await Promise.all(greetings)).toEqual([
    { text: "hello stranger" },
    { text: "hello stranger" },
  ]);
});

it("a question is declined when no user can be asked", async () => {
  expect(await greet(undefined)).toEqual({ text: "hello stranger" });
});

it("the wait for an answer does not count towards the time limit", async () => {
  const clock = createFakeClock();
  const answer = vi.fn<OnElicit>(async () => {
    clock.advance(10_000_000);
    return { action: "accept", content: { name: "Ada" } };
  });
  expect(await greet(answer, { clock })).toEqual({ text: "hello Ada" });
  expect(answer).toHaveBeenCalledOnce();
});
