import { expect, test } from "vitest";
// In your own project: from "cadre/testing".
import {
  createFakeClock,
  createTestCadre,
  failTool,
  faults,
  journalOf,
  recordedModel,
  type ScriptRule,
} from "../../src/testing.ts";

/** The agents under test. A project would read its own files. */
const files = {
  ".cadre/agents/support.md":
    "---\nname: support\ndescription: answers customers\n---\nYou are support. Ask billing about money.\n",
  ".cadre/agents/billing.md":
    "---\nname: billing\ndescription: knows all bills\n---\nYou are billing. Read bills.txt.\n",
  "bills.txt": "1042: 30 dollars\n",
};

/** The replies of the models. */
const script: ScriptRule[] = [
  {
    when: { agent: "support", turn: 0 },
    reply: { calls: [{ tool: "Agent", input: { type: "billing", prompt: "the bill of 1042" } }] },
  },
  {
    when: { agent: "support", last: { matches: "(?<sum>\\d+ dollars)" } },
    reply: { text: "You owe {{sum}}." },
  },
  {
    when: { agent: "billing", turn: 0 },
    reply: { calls: [{ tool: "Read", input: { file_path: "bills.txt" } }] },
  },
  { when: { last: { matches: "1042: (?<sum>.*?)$" } }, reply: { text: "{{sum}}" } },
  { when: { last: "disk full" }, reply: { text: "I cannot read it." } },
];

test("support asks billing", async () => {
  await using cadre = await createTestCadre({ files, script });
  const run = await cadre.spawn({ agent: "support", task: "What do I owe for 1042?" });
  await expect(run).toHaveSucceeded();
  await expect(run).toHaveDelegatedTo("billing", { task: "1042" });
  await expect(run).toHaveSpentAtMost({ turns: 4 });
  const [billing] = await run.descendants();
  await expect(billing).toHaveCalled("Read", { file_path: "bills.txt" });
  expect((await run.result()).text).toBe("You owe 30 dollars.");
});

test("billing says that it cannot read", async () => {
  const hooks = [failTool("Read", { message: "disk full" })];
  await using cadre = await createTestCadre({ files, script, hooks });
  const { text } = await cadre.run({ agent: "billing", task: "the bill of 1042" });
  expect(text).toBe("I cannot read it.");
});

test("an overloaded model is asked again after a while", async () => {
  const clock = createFakeClock();
  const rules = [{ reply: { text: "Hello.", fault: faults.overloaded({ times: 1 }) } }];
  await using cadre = await createTestCadre({ files, script: rules, clock });
  const run = await cadre.spawn({ agent: "support", task: "Say hello" });
  await clock.elapse(30_000);
  await expect(run).toHaveSucceeded();
});

test("the steps of support are as before", async () => {
  await using cadre = await createTestCadre({ files, script });
  const run = await cadre.spawn({ agent: "support", task: "What do I owe for 1042?" });
  const journal = await journalOf(run);
  const steps = journal.events.flatMap((event) =>
    typeof event === "object" && event !== null && "key" in event ? [event["key"]] : [],
  );
  expect(steps).toMatchInlineSnapshot(`
    [
      "instructions",
      "model/1",
      "tool/1/0",
      "tool/1/0",
      "model/2",
    ]
  `);
});

test("a recorded conversation is replayed without a model", async () => {
  const file = new URL("greeting.ndjson", import.meta.url).pathname;
  const model = await recordedModel({ file, mode: "replay" });
  await using cadre = await createTestCadre({ model });
  const agent = {
    name: "greeter",
    description: "greets",
    systemPrompt: "You are the greeter.",
    tools: [],
  };
  const run = await cadre.spawn({ agent, task: "Greet Ada" });
  await expect(run).toHaveSucceeded();
  expect((await run.result()).text).toBe("Good morning, Ada!");
});
