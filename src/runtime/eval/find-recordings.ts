import { resolve } from "node:path";
import { CadreError } from "../../errors.ts";
import type { CadreOptions } from "../cadre.ts";
import type { Recordings } from "./eval-record.ts";
import { readEvalStart } from "./recorded-evals.ts";

/**
 * Returns the recordings of an eval: the given ones, else those of the eval `resume`. Its file is not trusted more than the project,
 * so it cannot choose a folder in which files are written.
 *
 * @throws CadreError `not-trusted` when only the file of the eval names them and the project is not trusted.
 */
export async function findRecordings(
  stateFolder: string,
  {
    recordings,
    resume,
    cadreOptions,
    isTrusted,
  }: {
    recordings?: Recordings;
    resume?: string;
    cadreOptions: Pick<CadreOptions, "cwd">;
    isTrusted: (path: string) => boolean;
  },
): Promise<{ recordings?: Recordings }> {
  if (recordings !== undefined) return { recordings };
  if (resume === undefined) return {};
  const earlier = (await readEvalStart(stateFolder, resume)).recordings;
  if (earlier === undefined) return {};
  if (isTrusted(resolve(cadreOptions.cwd ?? "."))) return { recordings: earlier };
  const [does, option] =
    earlier.mode === "record" ? ["writes its recordings to", "--record"] : ["replays", "--replay"];
  const message = `The eval ${resume} ${does} ${earlier.folder}, and the folder of the project is not trusted. Add \`${option} ${earlier.folder}\` if it may, or trust the folder with \`cadre trust\`.`;
  throw new CadreError("not-trusted", message);
}
