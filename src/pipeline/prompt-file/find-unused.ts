import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";

/** A parameter of pro@coder without an effect in Cadre. */
export interface UnusedParameter {
  name: string;
  code: string;
  message: string;
  fix: string;
}

const workbenchParts = ["chat", "plan", "spec"] as const;

/** Finds the parameters of pro@coder in `params` that request something Cadre does not do. */
export function findUnusedParameters(params: JsonObject): UnusedParameter[] {
  const found: UnusedParameter[] = [];
  if (params["write_mode"] === false) found.push(readOnly);
  // `dev` is the older name.
  for (const name of ["workbench", "dev"]) {
    const value = params[name];
    if (isOn(value)) found.push(describeWorkbench(name, value));
  }
  return found;
}

/** With `write_mode: false` pro@coder writes no files. In Cadre the permissions of the run decide that. */
const readOnly: UnusedParameter = {
  name: "write_mode",
  code: "write-mode",
  message:
    "`write_mode: false` has no effect here: the permissions of the run decide which files the coder changes.",
  fix: "Run it with `--mode plan`, which is read-only.",
};

function describeWorkbench(name: string, value: JsonValue): UnusedParameter {
  const table = isRecord(value) ? value : {};
  const parts = workbenchParts.filter((part) => isOn(table[part]));
  const files = parts.length === 0 ? "files" : `files (${parts.join(", ")})`;
  return {
    name,
    code: "workbench",
    message: `\`${name}\` has no effect here: Cadre neither makes its ${files} nor gives them to the coder. Agents see the parameter.`,
    fix: "List these files in `context_globs_post`, and the rules for them in `knowledge_globs_post`.",
  };
}

function isOn(value: JsonValue | undefined): value is JsonValue {
  if (value === undefined || value === null || value === false) return false;
  return !isRecord(value) || value["enabled"] !== false;
}
