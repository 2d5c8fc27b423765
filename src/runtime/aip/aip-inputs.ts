import { join } from "node:path";
import { baseFolder } from "../../aip/location/aip-location.ts";
import { listFilesForScript } from "../../aip/host/list-files.ts";
import { CadreError } from "../../errors.ts";
import type { JsonObject } from "../../source/json.ts";
import { resolveReal } from "../../source/file/real-path.ts";
import { confine } from "../../tool/path/path-confinement.ts";
import { errorMessage } from "../../error-message.ts";

/**
 * Lists the files of globs as inputs of an `.aip` agent, in the form of `aip.file.list`.
 *
 * @throws CadreError `invalid-argument` when no file matches, or a glob leads out of the folder.
 */
export async function listAipInputs(
  globs: readonly string[],
  { cwd, home }: { cwd: string; home: string },
): Promise<JsonObject[]> {
  const workspace = (await resolveReal(cwd)) ?? cwd;
  const location = {
    path: join(baseFolder(home), "inputs.aip"),
    workspace,
    home,
    temporary: join(workspace, ".aipack", ".sessions"),
  };
  const context = { location, port: { confine }, signal: new AbortController().signal };
  const shown = globs.join(", ");
  const files = await listFilesForScript(globs, {}, context).catch((error: unknown) => {
    const why = errorMessage(error);
    throw new CadreError("invalid-argument", `The files of ${shown} cannot be listed: ${why}`);
  });
  if (files.length > 0) return files;
  throw new CadreError("invalid-argument", `No file in ${cwd} matches ${shown}.`);
}
