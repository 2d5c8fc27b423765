import { z } from "zod";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { createTool, type Tool, type ToolContext, type ToolOutcome } from "../../tool/tool.ts";
import { plainLine } from "../plain-text.ts";
import { askInCall } from "./ask-in-call.ts";
import type { ElicitAnswer, OnElicit } from "./elicitation.ts";

const option = z.object({
  label: z.string().min(1).max(200),
  description: z.string().max(1000).optional(),
});

const question = z.object({
  question: z.string().min(1).max(2000),
  header: z.string().max(100).optional().describe("A short title"),
  options: z.array(option).max(20).optional().describe("Absent: the user writes an answer"),
  multiSelect: z.boolean().optional().describe("Several options may be chosen. Default false"),
});

type Question = z.output<typeof question>;

/** A question with its number, starting at 1. */
type Numbered = Question & { number: number };

const titleCharacters = 160;

const input = z.object({ questions: z.array(question).min(1).max(4) });

/**
 * Creates the `AskUser` tool, with which an agent at any depth asks the user through the handler for questions of servers. The answer
 * is the outcome of the call, so it is recorded once. Without a handler, the agent is told to decide by itself.
 */
export function createAskUserTool(onElicit: OnElicit | undefined): Tool {
  const tool = createTool({
    name: "AskUser",
    description:
      "Asks the user 1 to 4 questions and waits for the answers. Use it only for what you cannot find out and must not decide yourself. The user can always answer in words of their own instead of an option.",
    access: "none",
    input,
    describe({ questions }) {
      const subject = questions.map((one) => one.question).join(" ");
      return { title: plainLine(`AskUser ${subject}`, titleCharacters), subject, paths: [] };
    },
    execute: async ({ questions }, context) => await ask(onElicit, questions, context),
  });
  return { ...tool, asksUser: true };
}

async function ask(
  onElicit: OnElicit | undefined,
  questions: readonly Question[],
  context: ToolContext,
): Promise<ToolOutcome> {
  if (onElicit === undefined) return { text: noUser };
  const numbered = questions.map((one, at) => ({ ...one, number: at + 1 }));
  const request = {
    extension: "AskUser",
    from: "agent",
    message: numbered.map(describeQuestion).join("\n\n"),
    schema: toSchema(numbered),
  } as const;
  const { signal } = context;
  // Asked in the next microtask, after the time limit of the run has been paused.
  const answer = Promise.resolve().then(() =>
    askInCall(onElicit, request, { tool: "AskUser", context, signal }),
  );
  return toOutcome(numbered, await context.awaitUser(answer));
}

const noUser =
  "There is no user to ask. Decide yourself what is most likely wanted, and name the decision in your answer.";

function describeQuestion({ question: text, options = [], number }: Numbered): string {
  const list = options.map(({ label, description = "" }) =>
    description === "" ? `   - ${label}` : `   - ${label}: ${description}`,
  );
  return [`${number}. ${text}`, ...list].join("\n");
}

/** Returns a field with the options, if there are any, and a field for the user's own words. */
function toSchema(questions: readonly Numbered[]): JsonObject {
  const fields = questions.flatMap((one): [string, JsonObject][] => {
    const { number, options = [] } = one;
    const title = plainLine(one.header ?? one.question, titleCharacters);
    if (options.length === 0) return [[textKey(number), { type: "string", title }]];
    const words = {
      type: "string",
      title: `${title}, in your own words`,
      description: "if none fits",
    };
    return [
      [choiceKey(number), { ...choiceField(one), title }],
      [textKey(number), words],
    ];
  });
  const required = questions.filter(({ options = [] }) => options.length === 0);
  return {
    type: "object",
    properties: Object.fromEntries(fields),
    required: required.map(({ number }) => textKey(number)),
  };
}

function choiceField({ options = [], multiSelect = false }: Question): JsonObject {
  const labels = [...new Set(options.map(({ label }) => label))];
  return multiSelect
    ? { type: "array", items: { type: "string", enum: labels } }
    : { type: "string", enum: labels };
}

function choiceKey(number: number): string {
  return `choice${number}`;
}

function textKey(number: number): string {
  return `answer${number}`;
}

function toOutcome(questions: readonly Numbered[], answer: ElicitAnswer): ToolOutcome {
  if (answer.action !== "accept") {
    const what = answer.action === "decline" ? "declined to answer" : "gave no answer";
    return { text: `The user ${what}. Continue without it, and say what you assumed.` };
  }
  const content: Readonly<Record<string, unknown>> = isRecord(answer.content) ? answer.content : {};
  const answers = questions.map(({ question: asked, number }) => {
    const given = [content[choiceKey(number)], content[textKey(number)]].flat();
    const texts = given.filter((one) => typeof one === "string" && one.trim() !== "");
    return { question: asked, answer: texts.length === 0 ? null : texts.join(", ") };
  });
  const lines = answers.map((one) => `${one.question}\n=> ${one.answer ?? "(no answer)"}`);
  return { text: lines.join("\n\n"), output: { answers } };
}
