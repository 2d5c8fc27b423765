import { CadreError } from "../../errors.ts";
import { isRecord } from "../../source/json.ts";
import { defaultAliases, hostedProviders } from "../model-reference.ts";
import type { ProcessEnvironment } from "../../source/process-environment.ts";
import { keyVariable, keyVariables } from "./provider-keys.ts";

/**
 * How long a server on this machine may take to list its models, in milliseconds. Without a server, the connection is refused at
 * once. A third of a second was too short for a process's first request on a busy machine, which also loads the transport.
 */
const localTimeoutMs = 3000;

/** Options of {@link findDefault}. */
interface FindDefaultOptions {
  /** The address of the Ollama server on this machine. */
  server: string;
  fetch: typeof globalThis.fetch;
  /** The file of a default model that does not apply, because its folder is not trusted. */
  ignored: string | undefined;
}

/**
 * Returns the reference of the model to use when none is configured: the default of the first provider with a key, else
 * the first model of the Ollama server.
 *
 * @throws CadreError `model-unavailable` when there is neither.
 */
export async function findDefault(
  environment: ProcessEnvironment,
  { server, fetch, ignored }: FindDefaultOptions,
): Promise<string> {
  const provider = hostedProviders.find((name) => keyVariable(name, environment) !== null);
  if (provider !== undefined) return defaultAliases[provider];
  const local = await firstLocalModel(server, fetch);
  if (local !== null) return `ollama:${local}`;
  const variables = hostedProviders.map((name) => keyVariables(name)[0]).join(", ");
  const distrusted =
    ignored === undefined
      ? ""
      : `\`model\` in ${ignored} was ignored, because the folder is not trusted. Read the file and run \`cadre trust\`, or `;
  throw new CadreError(
    "model-unavailable",
    `No model to use: ${distrusted}set one of ${variables}, or model in ~/.cadre/config.yaml, or start Ollama ` +
      `(nothing answered at ${server}).`,
    { details: { kind: "no-model" } },
  );
}

/** Returns the first model of an Ollama server; `null` without an answer, or when the answer is not from Ollama. */
async function firstLocalModel(
  server: string,
  fetch: typeof globalThis.fetch,
): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(localTimeoutMs);
    const response = await fetch(`${server}/api/tags`, { signal });
    const answer: unknown = response.ok ? await response.json() : null;
    const models = isRecord(answer) ? answer["models"] : null;
    const first: unknown = Array.isArray(models) ? models[0] : null;
    const name = isRecord(first) ? first["name"] : null;
    return typeof name === "string" && name !== "" ? name : null;
  } catch {
    return null;
  }
}
