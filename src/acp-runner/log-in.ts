import { CadreError } from "../errors.ts";
import type { Environment } from "../extension/launch-config.ts";
import { plainLine } from "../extension/plain-text.ts";
import { isRecord } from "../source/json.ts";
import { needsLogin } from "./runner-failure.ts";

/** Asks an agent for something; rejects with a CadreError when that does not come to be. */
export type Ask = (
  method: string,
  params: Record<string, unknown>,
) => Promise<Record<string, unknown>>;

/** A way to log in that an agent offers. */
export interface LoginMethod {
  id: string;
  /** For people. */
  title: string;
  /** It takes a key from the agent's environment; anything else wants a person. */
  takesKey: boolean;
}

/** Reads the `authMethods` of a greeting, for an agent that was started with `environment`. */
export function readLogins(methods: unknown, environment: Environment): LoginMethod[] {
  const list = Array.isArray(methods) ? methods.filter(isRecord) : [];
  return list.flatMap((method) => {
    const { id, name, description } = method;
    if (typeof id !== "string") return [];
    const words = [name, description].filter((one) => typeof one === "string" && one !== "");
    const title = plainLine(words.join(": ") || id, 200);
    return [{ id, title, takesKey: takesKey(method, environment) }];
  });
}

/** The two ways in which agents say so. */
function takesKey(method: Record<string, unknown>, environment: Environment): boolean {
  const { type, vars, _meta: meta } = method;
  if (type !== "env_var") return isRecord(meta) && "api-key" in meta;
  const needed = (Array.isArray(vars) ? vars : []).filter(isRecord);
  return needed.every(({ name, optional }) => optional === true || isSet(name, environment));
}

function isSet(name: unknown, environment: Environment): boolean {
  return typeof name === "string" && (environment[name] ?? "") !== "";
}

/**
 * Asks an agent that may want to be logged in first, which is done where it takes a key.
 *
 * @throws CadreError as `ask` does, with the ways to log in.
 */
export async function askLoggedIn(
  ask: Ask,
  logins: readonly LoginMethod[],
  ...question: Parameters<Ask>
): ReturnType<Ask> {
  let problem: unknown;
  try {
    return await ask(...question);
  } catch (error) {
    if (!needsLogin(error)) throw error;
    problem = error;
  }
  for (const { id: methodId } of logins.filter((login) => login.takesKey)) {
    try {
      await ask("authenticate", { methodId });
      return await ask(...question);
    } catch (error) {
      if (!(error instanceof CadreError)) throw error;
      problem = error;
    }
  }
  throw withLogins(problem as CadreError, logins);
}

function withLogins(error: CadreError, logins: readonly LoginMethod[]): CadreError {
  if (logins.length === 0) return error;
  const list = logins.map(({ title }) => title).join("; ");
  return new CadreError(error.code, `${error.message} It offers: ${list}.`, error);
}
