import type { JsonValue } from "../../source/json.ts";
import { CadreError } from "../../errors.ts";
import { confine } from "../../tool/path/path-confinement.ts";
import type { GlobProblem } from "./glob.ts";

/** Returns the absolute folder that globs are relative to: `base_dir`, which must be inside the workspace. */
export function findBase(
  { base_dir: written }: { base_dir?: JsonValue },
  workspace: string,
): string | GlobProblem {
  if (typeof written !== "string" || written.trim() === "") return workspace;
  try {
    return confine(written, { workspace });
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    const message = `base_dir: ${error.message}`;
    return { severity: "error", code: "glob-outside", message, fix: null };
  }
}
