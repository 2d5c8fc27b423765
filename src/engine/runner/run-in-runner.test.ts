import { describe, expect, test } from "vitest";
import { createRunnerPlace } from "../../../test/fixtures/runner-place.ts";

describe("a run in a runner", () => {
  test("ends with the last words of the agent", async () => {
    const { play, prompts, asked } = createRunnerPlace();
    const result = await play([
      "do: say look",
      "do: call read a file",
      "do: say  and",
      "do: say done",
    ]);
    expect(result).toMatchObject({ status: "succeeded", text: "anddone", turns: 1, cost: null });
    expect(prompts()[0]).toMatch(/^You do it\.[^]*# Task\n\ndo: say look/);
    expect(asked().map(({ method }) => method)).toEqual([
      "initialize",
      "session/new",
      "session/prompt",
    ]);
  });
});
