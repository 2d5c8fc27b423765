import type { JsonValue } from "../source/json.ts";
import { CadreError } from "../errors.ts";
import { confine } from "../tool/path-confinement.ts";
import type { GlobProblem } from "./glob.ts";

/** The folder that globs are meant from, absolute: `base_dir`, which must not lead out of the workspace. */
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
