import { CadreError } from "../../../errors.ts";
import { omitUndefined } from "../../../omit-undefined.ts";
import type { CreateEngine } from "../../engine.ts";
import { createDispatchedEngine } from "../dispatched-engine.ts";
import { readLabel } from "../read-label.ts";
import { connectDbos } from "./connect-dbos.ts";

/** Options of {@link dbos}. */
export interface DbosOptions {
  /** Only workers with this label execute the runs. Default: workers without one. */
  label?: string;
  /**
   * How the files of new runs reach workers: `same` = they have the folder at the same path, `git` = through the remote
   * `worker.remote` of its repository. Default: the setting `worker.workspace`, which is `same` by default.
   */
  workspace?: "same" | "git";
  /** Also push files that seem to hold secrets. Default: the setting `worker.pushSecrets`, which is false by default. */
  pushSecrets?: boolean;
  /** Receives a line about files that do not reach workers unchanged. Default: no-op. */
  onNote?: (line: string) => void;
}

/**
 * Returns the value for the option `engine` of `createCadre` that lets workers execute root runs. The registry must be in
 * PostgreSQL. Results, events, messages and questions work as for any run of another process.
 *
 * @throws CadreError `invalid-argument` for an invalid label or workspace.
 */
export function dbos({ label, workspace, ...rest }: DbosOptions = {}): CreateEngine {
  if (workspace !== undefined && workspace !== "same" && workspace !== "git") {
    const message = `Expected \`workspace\` to be same or git; got ${JSON.stringify(workspace)}.`;
    throw new CadreError("invalid-argument", message);
  }
  return createDispatchedEngine({
    connect: connectDbos,
    label: readLabel(label),
    ...rest,
    ...omitUndefined({ workspace }),
  });
}
