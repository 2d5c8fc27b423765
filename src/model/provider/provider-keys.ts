import { CadreError } from "../../errors.ts";
import type { ProcessEnvironment } from "../../source/process-environment.ts";
import type { HostedProvider } from "../model-reference.ts";

/** The variables that may hold a provider's key. The first one that is set is used. */
const keys: Readonly<Record<HostedProvider, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
  openai: ["OPENAI_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
};

/** Returns the variable that holds `provider`'s key in `environment`, or `null` when none is set. */
export function keyVariable(
  provider: HostedProvider,
  environment: ProcessEnvironment,
): string | null {
  return keys[provider].find((name) => (environment[name] ?? "").trim() !== "") ?? null;
}

/** Returns the variables that may hold `provider`'s key, the usual one first. */
export function keyVariables(provider: HostedProvider): readonly string[] {
  return keys[provider];
}

/**
 * Returns the key in a variable, without space around it; empty when it is not set.
 *
 * @throws CadreError `model-unavailable` for one that no HTTP header can carry, such as two lines.
 */
export function readApiKey(variable: string, environment: ProcessEnvironment): string {
  const key = (environment[variable] ?? "").trim();
  if (/^[\x20-\x7e]*$/.test(key)) return key;
  const what = /[\r\n]/.test(key) ? "a line break" : "a character that is not ASCII";
  const message = `Expected ${variable} to be a key on one line of ASCII; it has ${what}. Set it again, with the key alone.`;
  throw new CadreError("model-unavailable", message, { details: { variable } });
}
