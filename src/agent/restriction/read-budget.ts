import type { Budget } from "../../run/budget.ts";
import type { JsonObject } from "../../source/json.ts";
import { didYouMean } from "../../source/nearest.ts";
import { readObject } from "../fields/field-readers.ts";
import type { Fields } from "../fields/fields.ts";

const budgetKeys: Readonly<Record<string, "tokens" | "usd" | "wallSeconds" | "toolCalls">> = {
  tokens: "tokens",
  usd: "usd",
  wallSeconds: "wallSeconds",
  wall_seconds: "wallSeconds",
  toolCalls: "toolCalls",
  tool_calls: "toolCalls",
};

/** Reads the budget of an agent and its sub-agents. An unknown limit is an error. */
export function readBudget(fields: Fields): Budget | undefined {
  const written = readObject(fields, "budget");
  if (written === undefined) return undefined;
  const budget: Budget = {};
  for (const key of Object.keys(written)) readBudgetKey(fields, written, key, budget);
  return budget;
}

function readBudgetKey(fields: Fields, written: JsonObject, key: string, budget: Budget): void {
  const name = Object.hasOwn(budgetKeys, key) ? budgetKeys[key] : undefined;
  const value = written[key];
  if (name === undefined) {
    const hint = didYouMean(key, Object.keys(budgetKeys));
    const message = `\`budget.${key}\` is not a known limit (tokens, usd, wallSeconds, toolCalls).${hint}`;
    fields.report(["budget", key], {
      severity: "error",
      code: "unknown-key",
      message,
      fix: "Write `tokens`, `usd`, `wall_seconds` or `tool_calls`.",
    });
  } else if (typeof value !== "number" || value < 0) {
    const message = `Expected \`budget.${key}\` to be a number of at least 0; got \`${JSON.stringify(value)}\`.`;
    fields.report(["budget", key], {
      severity: "error",
      code: "wrong-type",
      message,
      fix: `Write \`${key}: 100\`, without a unit.`,
    });
  } else {
    budget[name] = value;
  }
}
