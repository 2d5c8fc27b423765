import { nameRunner } from "../agent/runner.ts";
import { CadreError } from "../errors.ts";
import { plainText } from "../extension/plain-text.ts";
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

/** Whether `error` says that an agent wants its user to log in. */
export function needsLogin(error: unknown): error is CadreError {
  return error instanceof CadreError && error.details["needsLogin"] === true;
}

/** Says of a runner what went wrong, and what to do. */
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
  const told = describe(`${problem.trim().replace(/\.+$/, "")}.${advice}`).trim();
  const message = `The runner ${nameRunner(runner)} cannot go on: ${told}`;
  return new CadreError(isInTurn ? "model-error" : "model-unavailable", message, {
    details: isLogin ? { needsLogin: true } : {},
  });
}

/** What an agent answered instead of a result: many have what matters beside the message. */
export function describeAnswer(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const data = isRecord(cause) ? cause["data"] : undefined;
  const { details, message: more, error } = isRecord(data) ? data : { details: data };
  const words = [details, more, error].find((one) => typeof one === "string" && one !== "");
  const isNew = typeof words === "string" && !message.includes(words);
  return plainText(isNew ? `${message}: ${words.slice(0, 500)}` : message);
}
