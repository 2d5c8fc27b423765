import { CadreError } from "../errors.ts";
import type { ProcessEnvironment } from "../source/process-environment.ts";
import { plainLine } from "../extension/plain-text.ts";
import { isRecord } from "../source/json.ts";
import { needsLogin } from "./runner-failure.ts";

/** Sends a request to an agent; rejects with a CadreError when it fails. */
export type AskAgent = (
  method: string,
  params: Record<string, unknown>,
) => Promise<Record<string, unknown>>;

/** A login method that an agent offers. */
export interface LoginMethod {
  id: string;
  /** The title for display. */
  title: string;
  /** Whether the method uses a key in the agent's environment. Other methods need the user. */
  takesKey: boolean;
}

/** Parses the `authMethods` of an agent that was started with `environment`. */
export function readLogins(methods: unknown, environment: ProcessEnvironment): LoginMethod[] {
  const list = Array.isArray(methods) ? methods.filter(isRecord) : [];
  return list.flatMap((method) => {
    const { id, name, description } = method;
    if (typeof id !== "string") return [];
    const words = [name, description].filter((one) => typeof one === "string" && one !== "");
    const title = plainLine(words.join(": ") || id, 200);
    return [{ id, title, takesKey: takesKey(method, environment) }];
  });
}

/** Recognises the two forms in which agents declare a login by key. */
function takesKey(method: Record<string, unknown>, environment: ProcessEnvironment): boolean {
  const { type, vars, _meta: meta } = method;
  if (type !== "env_var") return isRecord(meta) && "api-key" in meta;
  const needed = (Array.isArray(vars) ? vars : []).filter(isRecord);
  return needed.every(({ name, optional }) => optional === true || isSet(name, environment));
}

function isSet(name: unknown, environment: ProcessEnvironment): boolean {
  return typeof name === "string" && (environment[name] ?? "") !== "";
}

/**
 * Sends a request to an agent that may require a login first. Logs in when a key is sufficient.
 *
 * @throws CadreError as `ask` does, with the agent's login methods.
 */
export async function askLoggedIn(
  ask: AskAgent,
  logins: readonly LoginMethod[],
  ...question: Parameters<AskAgent>
): ReturnType<AskAgent> {
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
