import { CadreError } from "../../errors.ts";
import { accessOf, type ModelAccess } from "./model-access.ts";
import type { Model } from "../model.ts";
import type { ModelProblem, ModelProblemKind } from "./model-problem.ts";
import { maxRetryAfterMs } from "./retry-after.ts";

/** A problem after the last attempt. */
export interface Attempted {
  problem: ModelProblem;
  attempts: number;
}

/**
 * Creates the error for a call after its last attempt, which says what happened and what to do. The problem's text contains no
 * secrets.
 * The error has no `cause`, because the clients' errors carry the whole request and response, which must not be logged.
 */
export function finalError(model: Model, { problem, attempts }: Attempted): CadreError {
  const access = accessOf(model);
  const { kind, status } = problem;
  const isUnavailable = kind === "key-refused" || kind === "forbidden" || kind === "not-found";
  const message = describe(model, problem, { access, attempts });
  return new CadreError(isUnavailable ? "model-unavailable" : "model-error", message, {
    details: { kind, status, attempts, model: model.id },
  });
}

interface Circumstances {
  access: ModelAccess;
  attempts: number;
}

function describe(model: Model, problem: ModelProblem, circumstances: Circumstances): string {
  const { host, variable } = circumstances.access;
  const { kind, text, retryAfterMs } = problem;
  const words = {
    host,
    model: model.id,
    key: variable === null ? "the request without a key" : `the key in ${variable}`,
  };
  if (problem.isRetryable && (retryAfterMs ?? 0) > maxRetryAfterMs) {
    const asked = `asks to wait ${Math.round((retryAfterMs ?? 0) / 1000)} seconds before`;
    return `${host} ${asked} ${model.id} is asked again, more than a run waits: ${text}. Resume the run later, or use another model.`;
  }
  const [event, todo] = explanations[kind];
  const tries = circumstances.attempts > 1 ? ` after ${circumstances.attempts} attempts` : "";
  const code = problem.status === null ? "" : ` (HTTP ${problem.status})`;
  const spoken = text === "" ? "no message" : text.replace(/\.$/, "");
  return sentence(`${fill(event, words)}${tries}${code}: ${spoken}. ${todo}`);
}

/** For each kind, the event and the advice. */
const explanations: Readonly<Record<ModelProblemKind, readonly [event: string, todo: string]>> = {
  "key-refused": ["{key} was refused by {host}", "Set a valid one, or use another model."],
  forbidden: ["{key} may not use {model} at {host}", "Ask for access, or use another model."],
  "not-found": [
    "{host} has no model {model}, or nothing at that address",
    "Check the model's name and the base URL, or use another model.",
  ],
  "context-overflow": [
    "the conversation is too long for {model}",
    "Shorten it, or use a model with a larger context.",
  ],
  "out-of-credit": [
    "{host} says that {key} has no credit left",
    "Add credit, or use another model.",
  ],
  "rate-limited": [
    "{host} limits the rate of {model}",
    "Run fewer agents at once, wait, or use another model.",
  ],
  overloaded: ["{host} is overloaded", "Try again later, or use another model."],
  "server-error": ["{host} failed to answer", "Try again later, or use another model."],
  network: [
    "{host} could not be reached, or the connection broke",
    "Check the network, the base URL and the proxy.",
  ],
  stalled: [
    "{host} sent nothing of its reply for too long",
    "If it is only slow, raise limits.replySeconds (until a reply begins) or limits.stallSeconds (in the middle of one).",
  ],
  certificate: [
    "the certificate of {host} is not trusted",
    "Set NODE_EXTRA_CA_CERTS to the certificate of your organisation.",
  ],
  redirected: [
    "{host} redirects elsewhere, and a key is not sent after it",
    "Set the base URL to the final address.",
  ],
  "bad-request": [
    "{host} refused the request for {model}",
    "Check the model's settings (temperature, effort, tools), or use another model.",
  ],
  truncated: ["the reply of {host} broke off", "Try again later, or use another model."],
  malformed: [
    "the reply of {host} cannot be read",
    "Check that the base URL points at a model server of this kind.",
  ],
  empty: ["{model} gave no usable reply", "Rephrase the task, or use another model."],
  "abnormal-finish": ["{model} gave no usable reply", "Rephrase the task, or use another model."],
};

function fill(template: string, words: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? name);
}

function sentence(text: string): string {
  // The names of hosts and models keep their spelling.
  return text.startsWith("the ") ? `T${text.slice(1)}` : text;
}
