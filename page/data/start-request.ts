// The form that starts a run, as a request.

import type { Delegation } from "../../src/run/delegation.ts";

const texts = ["task", "model", "mode", "label", "cwd"];
const numbers = ["timeoutSeconds", "maxTurns", "retries"];
const limits = ["tokens", "usd"];
const values = { input: "Input", parameters: "Parameters", outputSchema: "Schema of the output" };

/** Returns the request that the fields of a form make. Empty fields are left out. @throws Error for JSON that is none. */
export function readRequest(agent: string, form: FormData): Delegation {
  const of = (name: string): string => {
    const value = form.get(name);
    return typeof value === "string" ? value.trim() : "";
  };
  const filled = (names: readonly string[]): string[] => names.filter((name) => of(name) !== "");
  const budget = Object.fromEntries(filled(limits).map((name) => [name, Number(of(name))]));
  const tools = of("tools")
    .split(/[\s,]+/)
    .filter((name) => name !== "");
  const entries: [string, unknown][] = [
    ...filled(texts).map((name): [string, unknown] => [name, of(name)]),
    ...filled(numbers).map((name): [string, unknown] => [name, Number(of(name))]),
    ...filled(Object.keys(values)).map((name): [string, unknown] => [name, parse(name, of(name))]),
  ];
  // The server checks the request, and says what is wrong with which field.
  return {
    agent,
    ...Object.fromEntries(entries),
    ...(tools.length > 0 && { tools }),
    ...(Object.keys(budget).length > 0 && { budget }),
  };
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const title = Object.entries(values).find(([key]) => key === name)?.[1] ?? name;
    throw new Error(`${title}: expected JSON. ${(error as Error).message}`, { cause: error });
  }
}
