import { errorMessage } from "../error-message.ts";
import { nameRunner } from "../agent/fields/runner.ts";
import { CadreError } from "../errors.ts";
import { plainText } from "../extension/plain-text.ts";
import { isRecord } from "../source/json.ts";

/** A runner's request that failed. */
export interface Asking {
  /** Default: empty, for a failure before the first request. */
  method?: string;
  cause?: unknown;
  /** Adds the program's output to the problem. */
  describe?: (problem: string) => string;
}

/** The protocol's code for a required login. */
const loginNeeded = -32000;

/** Reports whether `error` means that the agent requires a login. */
export function needsLogin(error: unknown): error is CadreError {
  return error instanceof CadreError && error.details["needsLogin"] === true;
}

/** Creates the error for a failed runner. It says what happened and what to do. */
export function runnerFailure(
  runner: string,
  problem: string,
  { method = "", cause, describe = (plain) => plain }: Asking = {},
): CadreError {
  const isLogin = method === "authenticate" || (isRecord(cause) && cause["code"] === loginNeeded);
  const isInTurn = method === "session/prompt" && !isLogin;
  const advice = isLogin
    ? " Log in with that program by hand, or give it its key before the command: `acp:KEY=$KEY COMMAND`."
    : isInTurn
      ? ""
      : " Run its command by hand to see more, and correct it.";
  const detail = describe(`${problem.trim().replace(/\.+$/, "")}.${advice}`).trim();
  const message = `The runner ${nameRunner(runner)} cannot continue: ${detail}`;
  return new CadreError(isInTurn ? "model-error" : "model-unavailable", message, {
    details: isLogin ? { needsLogin: true } : {},
  });
}

/** Describes an agent's error, including its data, where many agents put the actual problem. */
export function describeAnswer(cause: unknown): string {
  const message = errorMessage(cause);
  const data = isRecord(cause) ? cause["data"] : undefined;
  const { details, message: more, error } = isRecord(data) ? data : { details: data };
  const words = [details, more, error].find((one) => typeof one === "string" && one !== "");
  const isNew = typeof words === "string" && !message.includes(words);
  return plainText(isNew ? `${message}: ${words.slice(0, 500)}` : message);
}
