import type { Engine } from "../../engine/engine.ts";
import { CadreError } from "../../errors.ts";
import { showValue } from "./field.ts";
import { findMissing, type Members } from "./member.ts";

const engineMembers: Members<Engine> = {
  spawn: "function",
  reattach: "function",
  result: "function",
  cancel: "function",
  send: "function",
  raise: "function",
  collect: "function",
  fork: "function",
  retry: "function",
  idle: "function",
  isExecuting: "function",
  resume: "function",
  close: "function",
};

/**
 * Checks the result of the option `engine`.
 *
 * @throws CadreError `config-invalid` that names what is missing.
 */
export function requireEngine(engine: unknown): void {
  const missing = findMissing(engine, engineMembers);
  if (missing?.length === 0) return;
  const came = missing === null ? showValue(engine) : `an object without ${missing.join(", ")}`;
  throw new CadreError(
    "config-invalid",
    `The option \`engine\` of createCadre must return an engine; it returned ${came}. Return \`{ ...local }\` with your own methods.`,
  );
}
