import { isAgentName } from "../agent/common-fields.ts";
import { parseRunner } from "../agent/runner.ts";
import { findSetting, keysBelow } from "../config/settings.ts";
import { CadreError } from "../errors.ts";
import type { CadreOptions, LibraryAgent } from "./cadre.ts";

/**
 * Checks what no configuration file went through: the limits and the agents given in code.
 *
 * @throws CadreError `config-invalid` or `definition-invalid`.
 */
export function checkOptions({ limits = {}, agents = [] }: CadreOptions): void {
  for (const [key, value] of Object.entries(limits)) checkLimit(key, value);
  const names = new Set<string>();
  for (const agent of agents) {
    checkAgent(agent);
    if (names.has(agent.name)) {
      throw invalidAgent(agent.name, "a name of its own; two agents have this one");
    }
    names.add(agent.name);
  }
}

function checkLimit(key: string, value: unknown): void {
  const setting = findSetting(["limits", key]);
  if (setting?.schema.safeParse(value).success === true) return;
  const expected = setting?.expected ?? `not there (known: ${keysBelow(["limits"]).join(", ")})`;
  const got = JSON.stringify(value) ?? String(value);
  throw new CadreError(
    "config-invalid",
    `Expected the option limits.${key} to be ${expected}; got ${got}.`,
  );
}

function checkAgent(agent: LibraryAgent): void {
  const { name, description, timeoutSeconds, maxDepth } = agent;
  const expect = (isRight: boolean, expected: string): void => {
    if (!isRight) throw invalidAgent(name, expected);
  };
  expect(
    typeof name === "string" && isAgentName(name),
    "a name of 1 to 64 of a-z, 0-9 and single hyphens",
  );
  expect(typeof description === "string" && description !== "", "a description");
  if ("run" in agent) expect(typeof agent.run === "function", "`run` to be a function");
  else expect(typeof agent.systemPrompt === "string", "a `systemPrompt` or a function `run`");
  expect(isAtLeast(timeoutSeconds, 0.001), "`timeoutSeconds` to be more than 0");
  expect(isAtLeast(maxDepth, 0), "`maxDepth` to be at least 0");
  if ("run" in agent) return;
  expect(isAtLeast(agent.maxTurns, 1), "`maxTurns` to be at least 1");
  const runner = agent.runner === undefined ? undefined : parseRunner(agent.runner);
  if (runner !== undefined && "problem" in runner) {
    throw invalidAgent(name, `\`runner\` to be \`acp:COMMAND args…\`: ${runner.problem}`);
  }
}

function isAtLeast(value: unknown, min: number): boolean {
  return value === undefined || (typeof value === "number" && value >= min);
}

function invalidAgent(name: string, expected: string): CadreError {
  const message = `The agent "${name}" given to createCadre is not valid. Expected ${expected}.`;
  return new CadreError("definition-invalid", message);
}
