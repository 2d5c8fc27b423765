import { cleanLine } from "./clean-text.ts";
import type { QuestionTerminal } from "./question-terminal.ts";
import { quoteLines } from "./quote-lines.ts";
import { UsageError } from "../arguments/usage-error.ts";
import type { AskParameter, RecipeParameter } from "../../host.ts";

/** Returns a handler that asks the user for parameters. An empty answer gives no value. Ctrl-C and Ctrl-D end the command. */
export function createParameterQuestions(terminal: QuestionTerminal): AskParameter {
  const ask: AskParameter = async (parameter, problem) => {
    if (problem !== undefined) terminal.write(quoteLines(problem, terminal.columns));
    const answer = await terminal.askLine(formatQuestion(parameter));
    if (answer === undefined) throw new UsageError("The question was not answered.");
    return answer.trim() === "" ? undefined : answer;
  };
  return (...question) => terminal.inTurn(() => terminal.onScreen(() => ask(...question)));
}

function formatQuestion({ key, description, inputType, options }: RecipeParameter): string {
  const choices = inputType === "select" ? (options ?? []).join(", ") : inputType;
  const what = description === "" ? "" : ` ${cleanLine(description)}`;
  return `${cleanLine(key)} (${cleanLine(choices)}):${what} `;
}
