import { UsageError } from "./usage-error.ts";
import type { Budget, LimitRaise } from "../../host.ts";

const names = ["tokens", "usd", "wallSeconds", "toolCalls"] as const;

/** Parses `usd=1,tokens=200000`. @throws UsageError for invalid text. */
export function parseBudget(text: string): Budget {
  const budget: Budget = {};
  for (const part of text.split(",")) {
    const [key = "", value = "", ...more] = part.split("=").map((one) => one.trim());
    const name = names.find((one) => one.toLowerCase() === key.toLowerCase());
    const amount = /^\d+(?:_\d+)*(?:\.\d+)?$/.test(value) ? Number(value.replaceAll("_", "")) : NaN;
    if (name === undefined || more.length > 0 || !(amount > 0)) throw wrong(part);
    budget[name] = amount;
  }
  return budget;
}

/** Parses `timeout=300,tokens=50000`: amounts to add to limits. @throws UsageError for invalid text. */
export function parseRaise(text: string): LimitRaise {
  const parts = text.split(/[,\s]+/).filter((part) => part !== "");
  const isTimeout = (part: string): boolean => /^timeout=\d{1,9}(?:\.\d+)?$/i.test(part);
  const budget = parts.filter((part) => !isTimeout(part));
  const seconds = parts.filter(isTimeout).map((part) => Number(part.slice("timeout=".length)));
  const timeoutSeconds = seconds.reduce((sum, one) => sum + one, 0);
  if (timeoutSeconds === 0 && budget.length === 0) throw wrongRaise(text);
  return {
    ...(timeoutSeconds > 0 && { timeoutSeconds }),
    ...(budget.length > 0 && { budget: parseBudget(budget.join(",")) }),
  };
}

function wrongRaise(text: string): UsageError {
  return new UsageError(
    `Expected amounts such as timeout=300,tokens=50000; got ${JSON.stringify(text)}.`,
  );
}

function wrong(part: string): UsageError {
  return new UsageError(
    `Expected --budget as ${names.join("=N, ")}=N with commas between them, such as usd=1,tokens=200000; got ${JSON.stringify(part)}.`,
  );
}
