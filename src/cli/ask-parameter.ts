import { cleanLine } from "./clean-text.ts";
import type { QuestionTerminal } from "./question-terminal.ts";
import { UsageError } from "./usage-error.ts";
import type { RecipeParameter } from "../index.ts";

/** Asks for the value of a recipe's parameter; an empty answer is none. */
export type AskParameter = (parameter: RecipeParameter) => Promise<string | undefined>;

/** Asks the user for values. Ctrl-C and Ctrl-D end the command. */
export function createParameterQuestions(terminal: QuestionTerminal): AskParameter {
  const ask: AskParameter = async (parameter) => {
    const answer = await terminal.askLine(formatQuestion(parameter));
    if (answer === undefined) throw new UsageError("The question was not answered.");
    return answer.trim() === "" ? undefined : answer;
  };
  return (parameter) => terminal.inTurn(() => terminal.onScreen(() => ask(parameter)));
}

function formatQuestion({ key, description, inputType, options }: RecipeParameter): string {
  const choices = inputType === "select" ? (options ?? []).join(", ") : inputType;
  const what = description === "" ? "" : ` ${cleanLine(description)}`;
  return `${cleanLine(key)} (${cleanLine(choices)}):${what} `;
}
