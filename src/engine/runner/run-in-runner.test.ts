import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createPlainDefinition, typesOf } from "../../../test/fixtures/engine-fixture.ts";
import { createRunnerFixture } from "../../../test/fixtures/runner/runner-fixture.ts";
import type { JsonObject } from "../../source/json.ts";

describe("a run in a runner", () => {
  test("ends with the agent's text after its last call, with one prompt", async () => {
    const { execute, prompts, asked, begin, events, engine } = createRunnerFixture(["usage"]);
    const id = await begin(["do: say look", "do: call read a file", "do: say do", "do: say ne"]);
    const result = await engine.result(id);
    expect(result).toMatchObject({ status: "succeeded", text: "done", turns: 1, cost: null });
    expect(result.usage).toMatchObject({ inputTokens: 8, outputTokens: 7, cacheReadTokens: 3 });
    expect(result.warnings).toEqual([]);
    expect(prompts()[0]).toMatch(/^You do it\.[^]*# Environment[^]*\n\n# Task\n\ndo: say look/);
    expect(asked().map(({ method }) => method)).toEqual([
      "initialize",
      "session/new",
      "session/prompt",
    ]);
    expect(await events(id)).toContainEqual(
      expect.objectContaining({
        key: "prompt/1/1",
        value: { runId: id, sessionId: expect.any(String), runner: "scripted 1" },
      }),
    );
    expect(typesOf(await events(id)).filter((type) => type === "run-finished")).toHaveLength(1);
    const whole = await execute(["do: say look", "do: call read a file", "do: say done"], {
      summary: false,
    });
    expect(whole.text).toBe("look\n\nTool result (read):\nresult of a file\n\ndone");
  });

  test("inserts the task into the instructions, with images and the shared context", async () => {
    const { execute, prompts } = createRunnerFixture(["images"], {
      definition: { systemPrompt: "Do {{task}} well." },
    });
    const fixture = createRunnerFixture([], { definition: { systemPrompt: "Look." } });
    const image = (registry: typeof fixture.registry): string =>
      registry.putContent({ data: "aGk=" });
    const context = { values: { style: "short" }, references: {} };
    await execute(["this"], { context });
    expect(prompts()[0]).toMatch(/^Do this well\.[^]*- style: "short"$/);
    const images = [{ mediaType: "image/png", content: image(fixture.registry) }];
    const result = await fixture.execute(["that"], { images });
    expect(fixture.prompts()[0]).not.toContain("(image)");
    expect(result.warnings).toEqual([expect.stringContaining("does not support images")]);
  });

  test("delivers messages in the same session after its turn", async () => {
    const { begin, engine, prompts, asked, workspace, untilAsked } = createRunnerFixture();
    const id = await begin([`do: begin build`, `do: until ${join(workspace, "go")}`]);
    await untilAsked("session/prompt");
    await engine.send(id, "do: say heard", "user");
    writeFileSync(join(workspace, "go"), "");
    expect(await engine.result(id)).toMatchObject({ text: "heard", turns: 2 });
    expect(prompts()[1]).toBe("[Message from user]:\ndo: say heard");
    expect(asked().filter(({ method }) => method === "session/new")).toHaveLength(1);
  });

  test("returns a valid output, after corrections", async () => {
    const outputSchema: JsonObject = {
      type: "object",
      properties: { n: { type: "number" } },
      required: ["n"],
    };
    const { execute, prompts } = createRunnerFixture();
    const good = await execute(['do: say {"n":1}'], { outputSchema });
    expect(good).toMatchObject({ status: "succeeded", output: { n: 1 }, turns: 1 });
    expect(prompts()[0]).toContain('"required": [\n    "n"');
    const bad = await execute(['do: say {"n":"one"}'], { outputSchema });
    expect(bad).toMatchObject({ status: "failed", failure: { code: "output-invalid" }, turns: 3 });
    expect(prompts().at(-1)).toMatch(/not accepted:\n- .*JSON[^]*nothing else\.$/);
  });

  test("warns about unsupported settings", async () => {
    const definition = createPlainDefinition({
      effort: "low",
      maxTurns: 3,
      agents: ["helper"],
      tools: ["Read"],
    });
    const fixture = createRunnerFixture([], { definition });
    const mode = [{ mode: "plan" as const, rules: { allow: [], ask: [], deny: [] } }];
    const { warnings } = await fixture.execute(["go"], {
      temperature: 0.5,
      cache: true,
      policies: mode,
      budget: { tokens: 10, usd: 1 },
    });
    expect(warnings).toEqual([
      expect.stringMatching(/no effect: temperature, effort, max_turns, agents .*, cache\./),
      expect.stringMatching(
        /only actions for which it asks .* are subject to its list of tools and the mode plan\./,
      ),
      expect.stringContaining("tokens and usd cannot be enforced"),
    ]);
  });

  test("knows the cost of a session if the agent reports it", async () => {
    const { execute } = createRunnerFixture();
    const result = await execute(["do: cost 0.25", "do: say ok"]);
    expect(result).toMatchObject({ cost: 0.25 });
  });

  test("fails when the agent did not finish its turn, with its text so far", async () => {
    const { execute } = createRunnerFixture();
    const result = await execute(["do: say half", "do: stop refusal"]);
    expect(result).toMatchObject({ status: "failed", text: "half" });
    expect(result.failure).toMatchObject({
      code: "model-error",
      message: expect.stringContaining("refused"),
    });
  });

  test("fails when the agent reports an error, although it finished its turn", async () => {
    const { execute } = createRunnerFixture();
    const result = await execute(["do: broken", "do: say no quota"]);
    expect(result).toMatchObject({ status: "failed", text: "no quota" });
    expect(result.failure).toMatchObject({
      code: "model-error",
      message: expect.stringContaining("it had an error: no quota"),
    });
  });
});
