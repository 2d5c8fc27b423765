import type { Diagnostic, Severity } from "../source/diagnostic.ts";
import type { JsonObject } from "../source/json.ts";
import { nearest } from "../source/nearest.ts";
import type { KeyPath, PlaceFinder } from "../source/place.ts";
import { showKeyPath } from "./describe-json.ts";
import { listAgents } from "./agent-list.ts";
import { findGlobProblem, isPackGlob } from "./glob.ts";
import { findParameterProblems, knownParameters, listGlobs } from "./parameter.ts";

/** Parameters of a prompt file, and where they stand in it. */
export interface PlacedParameters {
  path: string;
  params: JsonObject;
  placeOf: PlaceFinder;
}

interface Finding {
  severity: Severity;
  code: string;
  message: string;
  fix: string | null;
}

/** pro@coder writes nothing then; here it would be read only as long as nobody runs it otherwise. */
const readOnly: Finding = {
  severity: "warning",
  code: "write-mode",
  message:
    "`write_mode: false` means nothing here: the coder changes files as far as the permissions of the run allow.",
  fix: "Run it in the mode `plan`, which is read only.",
};

/** Everything wrong with the parameters of a prompt file, in the order of their places. */
export function checkParameters({ path, params, placeOf }: PlacedParameters): Diagnostic[] {
  const found: Diagnostic[] = [];
  const report = (keys: KeyPath, finding: Finding): void => {
    const { severity, code, message, fix } = finding;
    found.push({ path, ...placeOf(...keys), severity, code, message, fix });
  };
  for (const { keys, expected, got } of findParameterProblems(params)) {
    const message = `Expected \`${showKeyPath(keys)}\` to be ${expected}; got ${got}.`;
    report(keys, { severity: "error", code: "parameter-shape", message, fix: null });
  }
  for (const finding of listAgents(params).findings) {
    const { keys, message } = finding;
    report(keys, { ...finding, message: `\`${showKeyPath(keys)}\`: ${message}` });
  }
  for (const { glob, keys } of listGlobs(params)) {
    // Packs are looked for when the prompt is made.
    const isKnowledge = String(keys[0]).startsWith("knowledge_globs");
    const problem = isKnowledge && isPackGlob(glob) ? null : findGlobProblem(glob);
    if (problem !== null) report(keys, problem);
  }
  if (params["write_mode"] === false) report(["write_mode"], readOnly);
  reportUnknown(params, report);
  return found.sort((left, right) => left.line - right.line || left.column - right.column);
}

/** Unknown parameters are for the agents; one that is nearly a known one is perhaps a slip. */
function reportUnknown(
  params: JsonObject,
  report: (keys: KeyPath, finding: Finding) => void,
): void {
  const known = [...knownParameters, "sub_agents", "auto_context"];
  for (const key of Object.keys(params)) {
    if (known.includes(key)) continue;
    const meant = nearest(key, known);
    if (meant === null) continue;
    const message = `\`${key}\` is passed on to the agents and means nothing else. Did you mean \`${meant}\`?`;
    const fix = `Write \`${meant}\`.`;
    report([key], { severity: "info", code: "parameter-unknown", message, fix });
  }
}
