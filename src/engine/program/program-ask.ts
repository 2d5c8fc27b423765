import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ProgramAnswer, ProgramQuestion } from "../../agent/program/program.ts";
import {
  assistantMessage,
  systemMessage,
  toolMessage,
  userMessage,
} from "../../model/conversation.ts";
import { addCost, addUsage, noUsage } from "../../run/usage.ts";
import { type Answer, askOnce, type AskServices, replyText } from "../loop/ask-once.ts";
import type { CallPart } from "../tool-call/call-tool.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { isFinalOutput } from "../tool-call/final-output.ts";
import {
  answerFinalOutput,
  createStructuredOutput,
  type StructuredOutput,
  type OutputCheck,
} from "../loop/structured-output.ts";

/** Answers a question of a program, with corrections until the answer matches the requested schema. */
export async function askForProgram(
  services: AskServices,
  run: RunContext,
  question: ProgramQuestion,
  key: string,
): Promise<ProgramAnswer> {
  const { system, model, temperature, outputSchema } = question;
  const { effort } = run.spec;
  const output = outputSchema && createStructuredOutput(outputSchema, run.spec.agent);
  const prompt: LanguageModelV4Prompt = [
    ...(system === undefined ? [] : [systemMessage(system)]),
    userMessage(question.prompt),
  ];
  const tools = output === undefined ? [] : [output.tool];
  let spent: Pick<ProgramAnswer, "usage" | "cost"> = { usage: noUsage, cost: 0 };
  // The loop ends after the last correction.
  for (let round = 1; ; round += 1) {
    const step = round === 1 ? key : `${key}/${round}`;
    const asked = { prompt, tools, model, temperature, effort };
    const answer = await askOnce(services, run, asked, step);
    spent = {
      usage: addUsage(spent.usage, answer.usage),
      cost: addCost(spent.cost, answer.cost),
    };
    const text = replyText(answer);
    if (output === undefined) return { text, ...spent };
    const checked = checkAnswer(output, answer, prompt);
    if ("value" in checked) return { text, output: checked.value, ...spent };
  }
}

/** Validates an answer against its schema. A correction becomes part of the conversation. */
function checkAnswer(
  output: StructuredOutput,
  answer: Answer,
  prompt: LanguageModelV4Prompt,
): OutputCheck {
  const calls = answer.parts.filter((part): part is CallPart => part.type.endsWith("tool-call"));
  const outputCalls = calls.filter(({ tool }) => isFinalOutput(tool));
  const checked =
    outputCalls.length > 0 ? output.checkCalls(outputCalls) : output.checkText(replyText(answer));
  if ("value" in checked) return checked;
  const { text, isError = false } = answerFinalOutput(checked);
  prompt.push(assistantMessage(answer));
  prompt.push(
    calls.length === 0
      ? userMessage(checked.correction)
      : toolMessage(calls.map(({ id, tool }) => ({ id, tool, text, isError }))),
  );
  return checked;
}
