import { expect, test } from "vitest";
import { createToolFixture } from "../../../test/fixtures/tool-call.ts";
import { createAskUserTool } from "./ask-user-tool.ts";
import { readElicitFields } from "./elicit-field.ts";
import type { ElicitAnswer, ElicitRequest } from "./elicitation.ts";

const color = {
  question: "Which color?",
  header: "Color",
  options: [{ label: "red", description: "warm" }, { label: "blue" }],
};
const parts = {
  question: "Which parts?",
  options: [{ label: "a" }, { label: "b" }],
  multiSelect: true,
};
const name = { question: "Which name?" };

function createAsked(answer: ElicitAnswer | (() => Promise<ElicitAnswer>)) {
  const requests: ElicitRequest[] = [];
  const fixture = createToolFixture();
  Object.assign(fixture.context.caller.spec, { chain: ["main", "worker"] });
  const tool = createAskUserTool(async (request) => {
    requests.push(request);
    return typeof answer === "function" ? await answer() : answer;
  });
  const ask = (questions: unknown) => fixture.call(tool, { questions });
  return { requests, ask };
}

test("the user gets the questions with their options, and who asks", async () => {
  const { requests, ask } = createAsked({ action: "cancel" });
  await ask([color, parts, name]);
  expect(requests).toMatchObject([
    {
      extension: "AskUser",
      from: "agent",
      callers: [{ runId: "run", stepKey: "tool/1/0", tool: "AskUser", chain: ["main", "worker"] }],
      message:
        "1. Which color?\n   - red: warm\n   - blue\n\n2. Which parts?\n   - a\n   - b\n\n3. Which name?",
    },
  ]);
  const fields = readElicitFields(requests[0]?.schema ?? {});
  expect(
    fields.map(({ key, title, isRequired, choices }) => [key, title, isRequired, choices.length]),
  ).toEqual([
    ["choice1", "Color", false, 2],
    ["answer1", "Color, in your own words", false, 0],
    ["choice2", "Which parts?", false, 2],
    ["answer2", "Which parts?, in your own words", false, 0],
    ["answer3", "Which name?", true, 0],
  ]);
});

test("the agent gets the options and the user's own words", async () => {
  const content = { choice1: "red", choice2: ["a", "b"], answer2: "and c", answer3: "Ada" };
  const { ask } = createAsked({ action: "accept", content });
  expect(await ask([color, parts, name])).toEqual({
    text: "Which color?\n=> red\n\nWhich parts?\n=> a, b, and c\n\nWhich name?\n=> Ada",
    output: {
      answers: [
        { question: "Which color?", answer: "red" },
        { question: "Which parts?", answer: "a, b, and c" },
        { question: "Which name?", answer: "Ada" },
      ],
    },
  });
});

test("a question that stays open is marked", async () => {
  const { ask } = createAsked({ action: "accept", content: { choice1: "" } });
  expect(await ask([color])).toMatchObject({ text: "Which color?\n=> (no answer)" });
});

test.each<[ElicitAnswer | (() => Promise<ElicitAnswer>), string]>([
  [{ action: "decline" }, "The user declined to answer."],
  [{ action: "cancel" }, "The user gave no answer."],
  [() => Promise.reject(new Error("gone")), "The user gave no answer."],
])("%j is told to the agent, which goes on", async (answer, text) => {
  const outcome = await createAsked(answer).ask([name]);
  expect(outcome.isError).toBeUndefined();
  expect(outcome.text).toContain(text);
});

test("without a user the agent decides by itself", async () => {
  const { text } = await createToolFixture().call(createAskUserTool(undefined), {
    questions: [name],
  });
  expect(text).toMatch(/^There is no user to ask\. Decide yourself/);
});

test.each([[[]], [[name, name, name, name, name]], [[{ question: "" }]], ["why?"]])(
  "the questions %j are refused",
  async (questions) => {
    const { requests, ask } = createAsked({ action: "cancel" });
    expect(await ask(questions)).toMatchObject({ isError: true });
    expect(requests).toEqual([]);
  },
);

test("control characters of a question do not reach the user", async () => {
  const { requests, ask } = createAsked({ action: "cancel" });
  await ask([{ question: "Is it\u001B[2J ok?", header: "a\u001B[0m" }]);
  expect(JSON.stringify(requests)).not.toContain("\\u001b");
});
