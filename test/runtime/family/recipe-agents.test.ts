import { describe, expect, test } from "vitest";
import type { CompletionCall } from "../../fixtures/chat-completion.ts";
import { inRecipes, runCalls, subagent } from "../../fixtures/delegation/subagent-calls.ts";

const agent = (type: string, prompt = "please"): CompletionCall => ({
  tool: "Agent",
  input: { type, prompt },
});
const spawn = (agentId: string, more: object = {}): CompletionCall => ({
  tool: "sessions_spawn",
  input: { agentId, task: "please", ...more },
});

const greet = `
version: 1.0.0
title: Greet
description: Greets
instructions: You greet {{ who }}.
prompt: Greet {{ who }}.
parameters:
  - { key: who, input_type: string, requirement: optional, default: Ada, description: whom }
`;

const review = `
version: 1.0.0
title: Review
description: Reviews
prompt: Review {{ file }}.
parameters:
  - { key: file, input_type: string, requirement: required, description: the file to review }
`;

const files = { [inRecipes("greet.yaml")]: greet, [inRecipes("review.yaml")]: review };

describe("a recipe requested as an agent", () => {
  test.each([
    ["Agent", agent("greet", "be nice")],
    ["sessions_spawn", spawn("greet", { task: "be nice" })],
    ["Subagent", subagent({ agent: "greet", instructions: "be nice" })],
  ])("by %s is filled, and the task is added to its text", async (_, call) => {
    const { children, server } = await runCalls([call], { files });
    expect(children).toMatchObject([{ agent: "greet", task: "Greet Ada.", status: "succeeded" }]);
    const { system } = server.turns.find(({ task }) => task === "Greet Ada.") ?? {};
    expect(system).toContain("You greet Ada.\n\n# Additional instructions\n\nbe nice");
  });

  test.each([
    ["Agent", agent("review")],
    ["sessions_spawn", spawn("review")],
    ["Subagent", subagent({ agent: "review", instructions: "please" })],
  ])("by %s accepts no parameters, and the message says where to pass them", async (_, call) => {
    const { received, children } = await runCalls([call], { files });
    expect(received[0]).toContain("`file` (string) is missing: the file to review");
    expect(received[0]).toContain("with the tool Subagent and `subrecipe`");
    expect(children).toEqual([]);
  });
});

describe("calls of one message", () => {
  test("can refer to each other's labels, however long it takes to fill a recipe", async () => {
    const loop = "{% for i in range(20000) %}{% endfor %}";
    const slow = greet
      .replace("prompt: Greet", `prompt: "${loop}Greet`)
      .replace("who }}.\nparam", 'who }}."\nparam');
    const { received, children } = await runCalls(
      [
        subagent({ subrecipe: "slow", label: "first" }),
        subagent({ instructions: "second", dependsOn: "first", includeDependencyResult: true }),
      ],
      { files: { [inRecipes("slow.yaml")]: slow } },
    );
    expect(children.map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
    expect(received[1]).toContain("did: Greet Ada.");
  });
});

describe("a recipe that is sequential_when_repeated", () => {
  const lead = `
version: 1.0.0
title: Lead
description: Leads
prompt: Lead the work.
sub_recipes:
  - { name: deploy, path: ./greet.yaml, sequential_when_repeated: true }
extensions: [{ type: builtin, name: summon }]
`;

  test("runs one after another for any tool, name and depth of the request", async () => {
    let open = 0;
    let most = 0;
    const { children } = await runCalls(
      [
        subagent({ subrecipe: "deploy" }),
        agent("greet"),
        spawn("greet", { task: ["one", "two"], parallel: true }),
        agent("worker", "nest"),
      ],
      {
        agent: "lead",
        task: "Lead the work.",
        files: {
          ...files,
          [inRecipes("lead.yaml")]: lead,
          ".cadre/agents/worker.md": "---\nname: worker\ndescription: works\n---\nYou work.\n",
        },
        async others({ task, turn }) {
          if (task === "nest") {
            return turn === 0 ? [agent("greet"), subagent({ subrecipe: "greet" })] : "nested";
          }
          open += 1;
          most = Math.max(most, open);
          // Gives runs that are wrongly admitted the time to be counted.
          await new Promise((resolve) => setImmediate(resolve));
          open -= 1;
          return "deployed";
        },
      },
    );
    const runs = children.filter((child) => child.agent === "greet");
    expect(runs).toHaveLength(6);
    expect(most).toBe(1);
    const times = runs.map(({ startedAt, endedAt }) => [startedAt ?? 0, endedAt ?? 0] as const);
    const inOrder = times.toSorted(([left], [right]) => left - right);
    for (const [at, [startedAt]] of inOrder.entries()) {
      expect(startedAt).toBeGreaterThanOrEqual(inOrder[at - 1]?.[1] ?? 0);
    }
  });
});

describe("the tools of a sub-recipe", () => {
  const recipe = (title: string, extension: string, more = ""): string => `
version: 1.0.0
title: ${title}
description: Does ${title}
prompt: ${title} now.
extensions: ${extension}
${more}`;
  const reader = "[{ type: builtin, name: developer, available_tools: [read] }]";
  const developer = "[{ type: builtin, name: developer }]";
  const subRecipes = "sub_recipes: [{ name: part, path: ./part.yaml }]\n";
  const fixture = {
    files: {
      [inRecipes("lead.yaml")]: recipe("Lead", reader, subRecipes),
      [inRecipes("part.yaml")]: recipe("Part", developer),
      ".cadre/agents/reader.md":
        "---\nname: reader\ndescription: reads\ntools: Read, Subagent\n---\nYou read.\n",
    },
  };
  const tools = ({ tools: names }: { tools: readonly string[] }): string =>
    `has ${["Read", "Bash"].filter((name) => names.includes(name)).join()}`;

  test("are those it lists, even if its recipe lacks them", async () => {
    const call = subagent({ subrecipe: "part" });
    const { received } = await runCalls([call], {
      ...fixture,
      agent: "lead",
      task: "Lead",
      others: tools,
    });
    expect(received).toEqual(["has Read,Bash"]);
  });

  test("never exceed those of the caller of that recipe", async () => {
    const { received } = await runCalls([agent("reader", "delegate")], {
      ...fixture,
      others(turn) {
        if (turn.task === "delegate" && turn.turn === 0) return [subagent({ subrecipe: "lead" })];
        if (turn.task === "Lead now." && turn.turn === 0) return [subagent({ subrecipe: "part" })];
        return turn.task === "Part now." ? tools(turn) : turn.last.join();
      },
    });
    expect(received[0]).toContain("has Read\n");
  });
});
