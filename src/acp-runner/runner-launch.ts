import { tmpdir } from "node:os";
import { nameRunner, parseRunner } from "../agent/fields/runner.ts";
import { CadreError } from "../errors.ts";
import type { ProcessEnvironment } from "../source/process-environment.ts";
import type { ProcessLaunch } from "../extension/launch-config.ts";
import { createRedaction, findSecretArguments } from "../source/redact.ts";
import { commandEnvironment } from "../tool/process/command-environment.ts";

/** The command of a runner, and the redaction of its secrets. */
export interface RunnerLaunch extends ProcessLaunch {
  redact: (text: string) => string;
}

/**
 * Returns the command of a runner with its environment: the variables that every command inherits, and those written before
 * the command.
 *
 * @throws CadreError `definition-invalid` for an invalid runner, `model-unavailable` for an unset variable.
 */
export function runnerLaunch(runner: string, source: ProcessEnvironment): RunnerLaunch {
  const parsed = parseRunner(runner);
  if ("problem" in parsed) {
    const message = `Expected a runner \`acp:COMMAND args…\`; got ${JSON.stringify(runner)}: ${parsed.problem}`;
    throw new CadreError("definition-invalid", message);
  }
  const { command, args } = parsed;
  const given = Object.entries(parsed.environment).map(([name, value]): [string, string] => [
    name,
    expand(value, source, runner),
  ]);
  const temporary = source["TMPDIR"] ?? tmpdir();
  return {
    command,
    args,
    environment: {
      ...commandEnvironment(source, { passed: [], temporary }),
      ...Object.fromEntries(given),
    },
    redact: createRedaction([...given.map(([, value]) => value), ...findSecretArguments(args)]),
  };
}

function expand(value: string, source: ProcessEnvironment, runner: string): string {
  return value.replaceAll(
    /\$(?:(\w+)|\{(\w+)\})/g,
    (_, plain?: string, braced?: string): string => {
      const name = plain ?? braced ?? "";
      const found = source[name];
      if (found !== undefined) return found;
      const message = `The runner ${nameRunner(runner)} needs the variable ${name}, which is not set. Set it in the environment of Cadre, or remove it from the runner.`;
      throw new CadreError("model-unavailable", message);
    },
  );
}
