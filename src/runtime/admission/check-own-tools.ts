import { CadreError } from "../../errors.ts";
import type { RunSpec } from "../../run/run.ts";
import type { AdmissionContext } from "./admission-context.ts";

/**
 * Requires that the program has every own tool that the recorded run may use.
 *
 * @throws CadreError `tool-unavailable` that names those it lacks.
 */
export function checkOwnTools(
  { catalog }: Pick<AdmissionContext, "catalog">,
  { ownTools: recorded = [] }: Pick<RunSpec, "ownTools">,
): void {
  const known = catalog.ownTools();
  const missing = recorded.filter((name) => !known.includes(name));
  if (missing.length === 0) return;
  const [subject, object] = missing.length === 1 ? ["the tool", "it"] : ["the tools", "them"];
  const message = `It may use ${subject} ${missing.join(", ")} of the program that started it, and this process does not have ${object}. Continue it in a program that gives ${object} to createCadre({ tools }), or start a new run.`;
  throw new CadreError("tool-unavailable", message, { details: { tools: missing } });
}
