import { pathToFileURL } from "node:url";
import { CadreError } from "../../errors.ts";
import { isRecord } from "../../source/json.ts";
import type { ProgramAgent } from "./program.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { errorMessage } from "../../error-message.ts";

/** The time limit for loading a module, in milliseconds. A module can wait at its top level. */
const maxLoadMs = 10_000;

const loaded = new Map<string, Promise<ProgramAgent>>();

/**
 * Imports the program agent of a file, once per path. This executes its code, so callers must check its trust first.
 *
 * @throws CadreError `definition-invalid` when the module throws, takes over 10 seconds, or has a default export that is not a
 * program agent.
 */
export function loadProgram(path: string): Promise<ProgramAgent> {
  const known = loaded.get(path);
  if (known !== undefined) return known;
  const loading = importProgram(path);
  loaded.set(path, loading);
  return loading;
}

async function importProgram(path: string): Promise<ProgramAgent> {
  const module = await importWithin(path);
  const agent = isRecord(module) ? module.default : undefined;
  if (!isRecord(agent)) {
    throw invalid(
      path,
      `Expected a default export \`defineAgent({ name, description, run })\`; got ${nameOf(agent)}.`,
    );
  }
  for (const key of ["name", "description"]) {
    if (typeof agent[key] === "string" && agent[key] !== "") continue;
    throw invalid(
      path,
      `Expected \`${key}\` of the default export to be text; got ${nameOf(agent[key])}.`,
    );
  }
  if (typeof agent.run !== "function") {
    throw invalid(
      path,
      `Expected \`run\` of the default export to be a function; got ${nameOf(agent.run)}.`,
    );
  }
  return agent as unknown as ProgramAgent;
}

async function importWithin(path: string): Promise<unknown> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(
      invalid(path, `The module did not finish loading within ${maxLoadMs / 1000} seconds.`),
    );
  }, maxLoadMs);
  try {
    return await Promise.race([import(pathToFileURL(path).href), late.promise]);
  } catch (error) {
    if (error instanceof CadreError) throw error;
    const reason = errorMessage(error);
    throw invalid(path, `The module threw an error while loading: ${reason}`, error);
  } finally {
    clearTimeout(timer);
  }
}

function nameOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

function invalid(path: string, message: string, cause?: unknown): CadreError {
  return new CadreError("definition-invalid", `${path}: ${message}`, {
    details: { path, reason: message },
    ...omitUndefined({ cause }),
  });
}
