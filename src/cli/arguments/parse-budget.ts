import { UsageError } from "./usage-error.ts";
import type { Budget } from "../../host.ts";

const names = ["tokens", "usd", "wallSeconds", "toolCalls"] as const;

/** Reads `usd=1,tokens=200000`. @throws UsageError for invalid text. */
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

function wrong(part: string): UsageError {
  return new UsageError(
    `Expected --budget as ${names.join("=N, ")}=N with commas between them, such as usd=1,tokens=200000; got ${JSON.stringify(part)}.`,
  );
}
