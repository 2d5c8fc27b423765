import { createInterface } from "node:readline/promises";
import { cleanLine } from "./clean-text.ts";
import { UsageError } from "./usage-error.ts";
import type { RecipeParameter } from "../index.ts";

/** Asks for the value of a recipe's parameter; an empty answer is none. */
export type AskParameter = (parameter: RecipeParameter) => Promise<string | undefined>;

/** Asks the user on the terminal, or is `undefined` where there is none. Ctrl-C and Ctrl-D end the command. */
export function createParameterQuestions(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): AskParameter | undefined {
  if (!input.isTTY || !output.isTTY) return undefined;
  return async (parameter) => {
    const lines = createInterface({ input, output });
    const closed = Promise.withResolvers<never>();
    lines.once("close", () => closed.reject(new UsageError("The question was not answered.")));
    // Closing it after an answer is no refusal.
    closed.promise.catch(() => undefined);
    try {
      const answer = await Promise.race([
        lines.question(formatQuestion(parameter)),
        closed.promise,
      ]);
      return answer.trim() === "" ? undefined : answer;
    } finally {
      lines.close();
    }
  };
}

function formatQuestion({ key, description, inputType, options }: RecipeParameter): string {
  const choices = inputType === "select" ? (options ?? []).join(", ") : inputType;
  const what = description === "" ? "" : ` ${cleanLine(description)}`;
  return `${cleanLine(key)} (${cleanLine(choices)}):${what} `;
}
