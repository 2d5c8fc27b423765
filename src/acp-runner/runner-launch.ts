import { tmpdir } from "node:os";
import { nameRunner, parseRunner } from "../agent/runner.ts";
import { CadreError } from "../errors.ts";
import type { Environment, ProcessLaunch } from "../extension/launch-config.ts";
import { createRedaction, findSecretArguments } from "../extension/redact.ts";
import { commandEnvironment } from "../tool/command-environment.ts";

/** How a runner is started, and what hides what it was given. */
export interface RunnerLaunch extends ProcessLaunch {
  redact: (text: string) => string;
}

/**
 * The command of a runner with its environment: what every command inherits, and the variables before the command.
 *
 * @throws CadreError `definition-invalid` for a runner that is none, `model-unavailable` for a variable that is not set.
 */
export function runnerLaunch(runner: string, source: Environment): RunnerLaunch {
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

function expand(value: string, source: Environment, runner: string): string {
  return value.replaceAll(
    /\$(?:(\w+)|\{(\w+)\})/g,
    (_, plain?: string, braced?: string): string => {
      const name = plain ?? braced ?? "";
      const found = source[name];
      if (found !== undefined) return found;
      const message = `The runner ${nameRunner(runner)} needs the variable ${name}, which is not set. Set it in the environment of Cadre, or take it out of the runner.`;
      throw new CadreError("model-unavailable", message);
    },
  );
}
