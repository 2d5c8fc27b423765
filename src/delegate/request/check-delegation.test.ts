import { expect, test } from "vitest";
import { CadreError } from "../../errors.ts";
import { checkDelegation } from "./check-delegation.ts";

function problemsOf(request: unknown): string {
  try {
    checkDelegation(request, "delegation");
  } catch (error) {
    if (error instanceof CadreError) return error.message;
    throw error;
  }
  return "";
}

test("a wrong field is named first, without a list of all fields", () => {
  expect(problemsOf({ agent: "main", task: "x", label: "a\nb" })).toBe(
    'The request for a run is not valid:\n- label: expected a name on one line, without spaces around it, got "a\\nb"',
  );
  expect(problemsOf({ agent: "main", task: "x", timeoutSeconds: -1 })).toBe(
    "The request for a run is not valid:\n- timeoutSeconds: expected a number above 0, got -1",
  );
});

test("an unknown field comes with those that exist", () => {
  expect(problemsOf({ agent: "main", task: "x", zork: 1 })).toMatch(
    /- zork: there is no such field\.\nKnown fields: agent, task, .*stopWhen/,
  );
});
