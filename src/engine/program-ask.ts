import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ProgramAnswer, ProgramQuestion } from "../agent/program.ts";
import {
  assistantMessage,
  systemMessage,
  toolMessage,
  userMessage,
} from "../model/conversation.ts";
import { addCost, addUsage, noUsage } from "../run/usage.ts";
import { type Answer, askOnce, type AskServices, textOf } from "./ask-once.ts";
import type { CallPart } from "./call-tool.ts";
import type { Session } from "./session.ts";
import {
  answerFinalOutput,
  createStructuredOutput,
  isFinalOutput,
  type StructuredOutput,
  type Verdict,
} from "./structured-output.ts";

/** Answers a question of a program: once, or with corrections until the answer has the shape that was asked for. */
export async function askForProgram(
  services: AskServices,
  session: Session,
  question: ProgramQuestion,
  key: string,
): Promise<ProgramAnswer> {
  const { system, model, temperature, outputSchema } = question;
  const output = outputSchema && createStructuredOutput(outputSchema, session.spec.agent);
  const prompt: LanguageModelV4Prompt = [
    ...(system === undefined ? [] : [systemMessage(system)]),
    userMessage(question.prompt),
  ];
  const tools = output === undefined ? [] : [output.tool];
  let spent: Pick<ProgramAnswer, "usage" | "cost"> = { usage: noUsage, cost: 0 };
  // Ends with the last correction that there is.
  for (let round = 1; ; round += 1) {
    const step = round === 1 ? key : `${key}/${round}`;
    const answer = await askOnce(services, session, { prompt, tools, model, temperature }, step);
    spent = {
      usage: addUsage(spent.usage, answer.usage),
      cost: addCost(spent.cost, answer.cost),
    };
    const text = textOf(answer);
    if (output === undefined) return { text, ...spent };
    const verdict = judge(output, answer, prompt);
    if ("value" in verdict) return { text, output: verdict.value, ...spent };
  }
}

/** Judges an answer that has to have a shape; a correction becomes part of the conversation. */
function judge(output: StructuredOutput, answer: Answer, prompt: LanguageModelV4Prompt): Verdict {
  const calls = answer.parts.filter((part): part is CallPart => part.type.endsWith("tool-call"));
  const handed = calls.filter(({ tool }) => isFinalOutput(tool));
  const verdict = handed.length > 0 ? output.judgeCalls(handed) : output.judgeText(textOf(answer));
  if ("value" in verdict) return verdict;
  const { text, isError = false } = answerFinalOutput(verdict);
  prompt.push(assistantMessage(answer));
  prompt.push(
    calls.length === 0
      ? userMessage(verdict.correction)
      : toolMessage(calls.map(({ id, tool }) => ({ id, tool, text, isError }))),
  );
  return verdict;
}
