import { nameRunner } from "../agent/runner.ts";
import { CadreError } from "../errors.ts";
import { isRecord } from "../source/json.ts";

/** The protocol's code for an agent that wants its user to log in. */
const loginNeeded = -32000;

/** Says of a runner that was being asked for `method` (or started) what went wrong, and what to do. */
export function runnerFailure(
  runner: string,
  problem: string,
  { method = "initialize", cause }: { method?: string; cause?: unknown } = {},
): CadreError {
  const code = method === "session/prompt" ? "model-error" : "model-unavailable";
  const message = `The runner ${nameRunner(runner)} cannot go on: ${problem.trim()}. ${adviceFor(method, cause)}`;
  return new CadreError(code, message.trim());
}

function adviceFor(method: string, cause: unknown): string {
  if (isRecord(cause) && cause["code"] === loginNeeded) {
    return "Log in with that program by hand first, or give it its key before the command: `acp:KEY=$KEY COMMAND`.";
  }
  return method === "session/prompt" ? "" : "Run its command by hand to see more, and correct it.";
}
