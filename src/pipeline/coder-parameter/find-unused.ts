import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";

/** A parameter that pro@coder reads and that changes nothing here. */
export interface UnusedParameter {
  name: string;
  code: string;
  message: string;
  fix: string;
}

const workbenchParts = ["chat", "plan", "spec"] as const;

/** The parameters of pro@coder in `params` that ask for something Cadre does not do. */
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

/** pro@coder writes nothing then; here it would be read only as long as nobody runs it otherwise. */
const readOnly: UnusedParameter = {
  name: "write_mode",
  code: "write-mode",
  message:
    "`write_mode: false` means nothing here: the coder changes files as far as the permissions of the run allow.",
  fix: "Run it with `--mode plan`, which is read only.",
};

function describeWorkbench(name: string, value: JsonValue): UnusedParameter {
  const table = isRecord(value) ? value : {};
  const parts = workbenchParts.filter((part) => isOn(table[part]));
  const files = parts.length === 0 ? "files" : `files (${parts.join(", ")})`;
  return {
    name,
    code: "workbench",
    message: `\`${name}\` means nothing here: its ${files} are neither made nor given to the coder. Agents find it in their parameters.`,
    fix: "Name these files in `context_globs_post`, and the rules for them in `knowledge_globs_post`.",
  };
}

function isOn(value: JsonValue | undefined): value is JsonValue {
  if (value === undefined || value === null || value === false) return false;
  return !isRecord(value) || value["enabled"] !== false;
}
