import { describe, expect, test } from "vitest";
import type { CompletionCall } from "../../fixtures/chat-completion.ts";
import {
  firstEvent,
  inRecipes,
  runCalls,
  subagent,
} from "../../fixtures/delegation/subagent-calls.ts";

/** An image of one pixel. */
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const review = `
version: 1.0.0
title: Review
description: Looks at one file
instructions: You review {{ file }}.
prompt: Review {{ file }} with care.
settings: { temperature: 0.3 }
parameters:
  - { key: file, input_type: string, requirement: required, description: the file }
  - { key: depth, input_type: string, requirement: optional, default: "1", description: how deep }
activities: ["Review at depth {{ depth }}"]
`;

const lead = `
version: 1.0.0
title: Lead
description: Leads
prompt: Lead the work.
sub_recipes:
  - { name: lint, path: ./lint.yaml, values: { strict: "true" } }
  - { name: deploy, path: ./deploy.yaml, sequential_when_repeated: true }
`;

const part = (title: string): string => `
version: 1.0.0
title: ${title}
description: Does ${title}
prompt: ${title} {{ target }} strictly {{ strict }}.
parameters:
  - { key: target, input_type: string, requirement: required, description: what }
  - { key: strict, input_type: string, requirement: optional, default: "false", description: how }
`;

describe("the Subagent tool, ad hoc", () => {
  test("executes free-form instructions, and asks for a summary", async () => {
    const { received, server, children } = await runCalls([
      subagent({ instructions: "count the files" }),
    ]);
    expect(received).toEqual(["did: count the files"]);
    expect(children).toMatchObject([{ agent: "subagent", task: "count the files" }]);
    const system = server.turns.find(({ task }) => task === "count the files")?.system;
    expect(system).toContain("Your parent agent will only receive your final message");
  });

  test("returns all text and tool results without a summary", async () => {
    const { received, server } = await runCalls(
      [subagent({ instructions: "look", summary: false })],
      {
        files: { "a.txt": "the content of a" },
        others: ({ turn }) =>
          turn === 0 ? [{ tool: "Read", input: { file_path: "a.txt" } }] : "that was it",
      },
    );
    expect(received[0]).toMatch(/the content of a[^]*that was it/);
    const system = server.turns.find(({ task }) => task === "look")?.system;
    expect(system).not.toContain("Your parent agent will only receive");
  });

  test("runs several calls of one message concurrently", async () => {
    let open = 0;
    let most = 0;
    const both = Promise.withResolvers<void>();
    await runCalls([subagent({ instructions: "one" }), subagent({ instructions: "two" })], {
      async others() {
        open += 1;
        most = Math.max(most, open);
        if (open === 2) both.resolve();
        await both.promise;
        open -= 1;
        return "done";
      },
    });
    expect(most).toBe(2);
  });

  test("uses the model that the call names, and reports its origin", async () => {
    const { server, cadre, children } = await runCalls([
      subagent({
        instructions: "think",
        settings: { provider: "mock", model: "other", temperature: 0.9 },
      }),
    ]);
    expect(server.turns.find(({ task }) => task === "think")?.model).toBe("other");
    const created = await firstEvent(cadre, children[0]);
    expect(created).toMatchObject({
      spec: {
        model: "mock:other",
        temperature: 0.9,
        reasons: { model: "the call", temperature: "the call", extensions: "the parent" },
      },
    });
  });

  test("keeps the parent's model when only the provider is named", async () => {
    const { children } = await runCalls([
      subagent({ instructions: "think", settings: { provider: "mock" } }),
    ]);
    expect(children[0]?.model).toBe("mock:mock");
  });

  test("passes images to it, whose type is detected", async () => {
    const { children, cadre } = await runCalls([
      subagent({ instructions: "look", images: [{ data: png }] }),
    ]);
    const created = await firstEvent(cadre, children[0]);
    expect(created).toMatchObject({ spec: { images: [{ mediaType: "image/png" }] } });
  });

  test("starts it in the background, and its result comes later", async () => {
    const { received, server } = await runCalls([
      subagent({ instructions: "later", background: true }),
    ]);
    expect(received[0]).toMatch(/Started in the background: ad hoc \(run /);
    const results = server.turns.filter(({ task }) => task === "go").flatMap(({ last }) => last);
    expect(results.some((text) => /has ended: succeeded\][^]*did: later/.test(text))).toBe(true);
  });

  test("runs a named agent", async () => {
    const { received, children } = await runCalls(
      [subagent({ instructions: "x", agent: "worker" })],
      {
        files: {
          ".cadre/agents/worker.md":
            "---\nname: worker\ndescription: works\n---\nYou are worker.\n",
        },
      },
    );
    expect(children[0]?.agent).toBe("worker");
    expect(received[0]).toBe("did: x");
  });

  test.each([
    ["nothing to do", {}, "expected instructions"],
    [
      "parameters without a recipe",
      { instructions: "x", parameters: { a: 1 } },
      "parameters are for a recipe",
    ],
    [
      "an agent and a recipe",
      { agent: "main", subrecipe: "review" },
      "expected agent or subrecipe",
    ],
    ["an unknown recipe", { subrecipe: "reviw" }, "Did you mean `review`?"],
    [
      "an unknown extension",
      { instructions: "x", extensions: ["nope"] },
      'There is no extension "nope"',
    ],
    ["an invalid image", { instructions: "x", images: [{ data: "aGFsbG8=" }] }, "image"],
    ["an unknown field", { instructions: "x", modle: "y" }, "modle"],
  ])("refuses %s, and creates no run", async (_, input, message) => {
    const { received, children } = await runCalls([subagent(input)], {
      files: { [inRecipes("review.yaml")]: review },
    });
    expect(received[0]).toContain(message);
    expect(children).toEqual([]);
  });
});

describe("the Subagent tool, with a recipe", () => {
  const files = { [inRecipes("review.yaml")]: review };

  test("fills it with parameters and runs it", async () => {
    const call = subagent({ subrecipe: "review", parameters: { file: "a.ts" } });
    const { received, server, children } = await runCalls([call], { files });
    expect(received).toEqual(["did: Review a.ts with care."]);
    expect(children[0]).toMatchObject({ agent: "review", task: "Review a.ts with care." });
    expect(server.turns.find(({ task }) => task.startsWith("Review"))?.system).toContain(
      "You review a.ts.",
    );
  });

  test("adds instructions under their own heading", async () => {
    const { server } = await runCalls(
      [subagent({ subrecipe: "review", instructions: "mind security", parameters: { file: "a" } })],
      { files },
    );
    expect(server.turns.find(({ task }) => task.startsWith("Review"))?.system).toContain(
      "You review a.\n\n# Additional instructions\n\nmind security",
    );
  });

  test("reports all problems of the parameters at once", async () => {
    const call = subagent({ subrecipe: "review", parameters: { fiel: "a", other: 1 } });
    const { received, children } = await runCalls([call], { files });
    expect(received[0]).toMatch(/`file`[^]*the file/);
    expect(received[0]).toContain("fiel");
    expect(received[0]).toContain("other");
    expect(children).toEqual([]);
  });

  test("lists the recipes and their parameters", async () => {
    const { server } = await runCalls([], { files });
    const description = server.turns[0]?.describe("Subagent") ?? "";
    expect(description).toContain(
      "- review: Looks at one file (parameters: file (string, required) the file; depth (string, optional) how deep)",
    );
  });

  test("offers the agent of a recipe only its own sub-recipes, whose fixed values take precedence", async () => {
    const calls = [
      subagent({ subrecipe: "lint", parameters: { target: "src", strict: "false" } }),
      subagent({ subrecipe: "review", parameters: { file: "a" } }),
    ];
    const { received } = await runCalls(calls, {
      agent: "lead",
      task: "Lead the work.",
      files: {
        ...files,
        [inRecipes("lead.yaml")]: lead,
        [inRecipes("lint.yaml")]: part("lint"),
        [inRecipes("deploy.yaml")]: part("deploy"),
      },
    });
    expect(received[0]).toContain("did: lint src strictly true.");
    expect(received[0]).toContain("The recipe fixes strict=true; the given false was not used.");
    expect(received[1]).toContain('There is no subrecipe "review"');
  });

  test("runs calls of a sequential recipe one after another, also from different depths", async () => {
    let open = 0;
    let most = 0;
    const deploy = (target: string): CompletionCall =>
      subagent({ subrecipe: "deploy", parameters: { target } });
    const { children } = await runCalls(
      [deploy("a"), deploy("b"), subagent({ instructions: "nest" })],
      {
        agent: "lead",
        task: "Lead the work.",
        files: {
          [inRecipes("lead.yaml")]: lead,
          [inRecipes("lint.yaml")]: part("lint"),
          [inRecipes("deploy.yaml")]: part("deploy"),
        },
        async others({ task, turn }) {
          if (task === "nest") return turn === 0 ? [deploy("c")] : "nested";
          open += 1;
          most = Math.max(most, open);
          // Gives runs that are wrongly admitted the time to be counted.
          await new Promise((resolve) => setImmediate(resolve));
          open -= 1;
          return "deployed";
        },
      },
    );
    expect(children.filter(({ agent }) => agent === "deploy")).toHaveLength(3);
    expect(most).toBe(1);
    const deploys = children.filter(({ agent }) => agent === "deploy");
    const times = deploys.map(({ startedAt, endedAt }) => [startedAt ?? 0, endedAt ?? 0] as const);
    const inOrder = times.toSorted(([left], [right]) => left - right);
    for (const [at, [startedAt]] of inOrder.entries()) {
      expect(startedAt).toBeGreaterThanOrEqual(inOrder[at - 1]?.[1] ?? 0);
    }
  });
});

describe("the policy of delegation", () => {
  test("of the profile strict stops sub-agents from creating others", async () => {
    const files = { ".cadre/config.yaml": "delegation: { profile: strict }\n" };
    const { received } = await runCalls([subagent({ instructions: "nest" })], {
      files,
      others: ({ turn, last }) =>
        turn === 0 ? [subagent({ instructions: "deeper" })] : `was told: ${last.join()}`,
    });
    expect(received[0]).toContain("Subagents cannot create other subagents");
  });
});
