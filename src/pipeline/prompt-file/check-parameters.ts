import type { Diagnostic, Severity } from "../../source/diagnostic.ts";
import type { JsonObject } from "../../source/json.ts";
import { nearest } from "../../source/nearest.ts";
import type { KeyPath, PositionFinder } from "../../source/position.ts";
import { showKeyPath } from "./describe-json.ts";
import { listAgents } from "./agent-list.ts";
import { findUnusedParameters } from "./find-unused.ts";
import { findGlobProblem, isPackGlob } from "../files/glob.ts";
import { findParameterProblems, knownParameters, listGlobs } from "./parameter.ts";

/** The parameters of a prompt file with their places. */
export interface PositionedParameters {
  path: string;
  params: JsonObject;
  positionOf: PositionFinder;
}

interface Finding {
  severity: Severity;
  code: string;
  message: string;
  fix: string | null;
}

/** Checks the parameters of a prompt file. Returns the findings in the order of their places. */
export function checkParameters({ path, params, positionOf }: PositionedParameters): Diagnostic[] {
  const found: Diagnostic[] = [];
  const report = (keys: KeyPath, finding: Finding): void => {
    const { severity, code, message, fix } = finding;
    found.push({ path, ...positionOf(...keys), severity, code, message, fix });
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
    // Building the prompt resolves packs.
    const isKnowledge = String(keys[0]).startsWith("knowledge_globs");
    const problem = isKnowledge && isPackGlob(glob) ? null : findGlobProblem(glob);
    if (problem !== null) report(keys, problem);
  }
  for (const { name, ...finding } of findUnusedParameters(params)) {
    report([name], { severity: "warning", ...finding });
  }
  reportUnknown(params, report);
  return found.sort((left, right) => left.line - right.line || left.column - right.column);
}

/** Reports unknown parameters that resemble known ones. Others are options of agents. */
function reportUnknown(
  params: JsonObject,
  report: (keys: KeyPath, finding: Finding) => void,
): void {
  const known = [...knownParameters, "sub_agents", "auto_context"];
  for (const key of Object.keys(params)) {
    if (known.includes(key)) continue;
    const meant = nearest(key, known);
    if (meant === null) continue;
    const message = `\`${key}\` is passed to the agents and has no other effect. Did you mean \`${meant}\`?`;
    const fix = `Write \`${meant}\`.`;
    report([key], { severity: "info", code: "parameter-unknown", message, fix });
  }
}
