import { nameRunner } from "../agent/runner.ts";
import { CadreError } from "../errors.ts";
import { isRecord } from "../source/json.ts";

/** What a runner was being asked when something went wrong. */
export interface Asking {
  /** Default: it was not asked for anything yet. */
  method?: string;
  cause?: unknown;
  /** Adds what the program itself had to say. */
  describe?: (problem: string) => string;
}

/** The protocol's code for an agent that wants its user to log in. */
const loginNeeded = -32000;

/** Says of a runner what went wrong, and what to do. */
export function runnerFailure(
  runner: string,
  problem: string,
  { method = "", cause, describe = (plain) => plain }: Asking = {},
): CadreError {
  const needsLogin = isRecord(cause) && cause["code"] === loginNeeded;
  const isInTurn = method === "session/prompt" && !needsLogin;
  const advice = needsLogin
    ? " Log in with that program by hand, or give it its key before the command: `acp:KEY=$KEY COMMAND`."
    : isInTurn
      ? ""
      : " Run its command by hand to see more, and correct it.";
  const told = describe(`${problem.trim().replace(/\.+$/, "")}.${advice}`).trim();
  const message = `The runner ${nameRunner(runner)} cannot go on: ${told}`;
  return new CadreError(isInTurn ? "model-error" : "model-unavailable", message);
}
