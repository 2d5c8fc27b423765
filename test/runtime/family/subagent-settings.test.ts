import { describe, expect, test } from "vitest";
import type { RunSpec } from "../../../src/run/run.ts";
import { hang } from "../../fixtures/model-server.ts";
import {
  firstEvent,
  inRecipes,
  runCalls,
  subagent,
} from "../../fixtures/delegation/subagent-calls.ts";

const recipe = (title: string, more: string): string => `
version: 1.0.0
title: ${title}
description: Does ${title}
prompt: Do ${title}.
${more}`;

const files = {
  [inRecipes("lead.yaml")]: recipe(
    "lead",
    `settings: { goose_provider: mock, goose_model: leading, temperature: 0.1 }
sub_recipes: [{ name: plain, path: ./plain.yaml }, { name: own, path: ./own.yaml }]
`,
  ),
  [inRecipes("plain.yaml")]: recipe("plain", ""),
  [inRecipes("own.yaml")]: recipe(
    "own",
    "settings: { goose_provider: Other, goose_model: owned, temperature: 0.7 }\n",
  ),
};

type Settings = Pick<RunSpec, "model" | "temperature" | "timeoutSeconds" | "reasons">;

/** Returns the settings of the run that the agent of the recipe `lead` gets for a call. */
async function settingsOf(input: Record<string, unknown>): Promise<Settings> {
  const { cadre, children } = await runCalls([subagent(input)], {
    files,
    endpoints: ["Other"],
    agent: "lead",
    task: "Do lead",
  });
  const created = (await firstEvent(cadre, children[0])) as { spec: Settings };
  return created.spec;
}

describe("the settings of a sub-agent", () => {
  test.each([
    {
      whose: "the call's",
      input: { subrecipe: "own", settings: { model: "mock:called", temperature: 1 } },
      is: ["mock:called", 1, "the call"],
    },
    {
      whose: "else the recipe's",
      input: { subrecipe: "own" },
      is: ["Other:owned", 0.7, "the recipe"],
    },
    {
      whose: "else the parent's",
      input: { subrecipe: "plain" },
      is: ["mock:leading", 0.1, "the parent"],
    },
    {
      whose: "the parent's for a task without a recipe",
      input: { instructions: "x" },
      is: ["mock:leading", 0.1, "the parent"],
    },
  ])("are $whose", async ({ input, is: [model, temperature, from] }) => {
    const settings = await settingsOf(input);
    expect(settings).toMatchObject({
      model,
      temperature,
      reasons: { model: from, temperature: from },
    });
  });

  test("default to the provider's, and a temperature does not apply to another model", async () => {
    const other = await settingsOf({ subrecipe: "plain", settings: { model: "mock:called" } });
    expect(other).toMatchObject({
      model: "mock:called",
      temperature: null,
      reasons: { model: "the call", temperature: "the provider", timeout: "the default" },
    });
  });

  test.each([
    { input: { instructions: "x" }, is: "mock:called" },
    { input: { subrecipe: "plain" }, is: "mock:called" },
    { input: { subrecipe: "own" }, is: "Other:called" },
  ])(
    "of a model alone mean the provider of the recipe, else of the parent: $is",
    async ({ input, is }) => {
      expect((await settingsOf({ ...input, settings: { model: "called" } })).model).toBe(is);
    },
  );

  test("keep the case of an endpoint's name, and a colon in a model's name", async () => {
    const settings = { provider: "Other", model: "llama3:8b" };
    expect((await settingsOf({ instructions: "x", settings })).model).toBe("Other:llama3:8b");
    const twice = { provider: "mock", model: "mock:called" };
    expect((await settingsOf({ instructions: "x", settings: twice })).model).toBe("mock:called");
  });

  test("of a provider alone keep the model that would have been used", async () => {
    expect((await settingsOf({ subrecipe: "own", settings: { provider: "Mock" } })).model).toBe(
      "mock:owned",
    );
    expect((await settingsOf({ instructions: "x", settings: { provider: "mock" } })).model).toBe(
      "mock:leading",
    );
  });
});

describe("what Cadre adds to the tool", () => {
  test("returns output that fits a schema", async () => {
    const outputSchema = {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
    };
    const { received } = await runCalls([subagent({ instructions: "count", outputSchema })], {
      others: ({ turn, tools }) =>
        turn === 0 && tools.includes("final_output")
          ? [{ tool: "final_output", input: { n: 42 } }]
          : "no tool",
    });
    expect(received).toEqual(['{"n":42}']);
  });

  test("labels a run, and passes data to it and to later runs", async () => {
    const calls = [
      subagent({ instructions: "first", label: "research", sharedContext: { topic: "tea" } }),
      subagent({
        instructions: "second",
        sharedContext: { $research: "reference" },
        includeDependencyResult: true,
        dependsOn: ["research"],
      }),
    ];
    const { server, children } = await runCalls(calls);
    expect(children.map(({ label }) => label)).toEqual(["research", null]);
    const received = (task: string): string =>
      server.turns.find((turn) => turn.task.endsWith(task))?.system ?? "";
    expect(received("first")).toContain('- topic: "tea"');
    expect(received("second")).toContain("- research: ");
    expect(received("second")).toContain("did: first");
    const tasks = server.turns.map(({ task }) => task);
    expect(tasks).toContainEqual(expect.stringMatching(/did: first[^]*second$/));
  });

  test("limits a run by time and by a budget", async () => {
    const { received, children } = await runCalls(
      [
        subagent({ instructions: "for ever", timeoutSeconds: 0.2 }),
        subagent({ instructions: "dear", budget: { tokens: 1 } }),
      ],
      { others: ({ task }) => (task === "for ever" ? hang : "done") },
    );
    expect(received[0]).toContain("(timed-out, run ");
    expect(received[1]).toContain("(failed, budget-exceeded, ");
    expect(children.map(({ status }) => status)).toEqual(["timed-out", "failed"]);
  });
});
