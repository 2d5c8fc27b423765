import type { RunSpec } from "../run/run.ts";

/** Records the files that the runs of a family work on, beside their journals. */
export interface FileRecorder {
  /**
   * Records the files as they are now. Resolves with their commit, once other machines can get it. `about` names what changed them.
   *
   * @throws CadreError when they cannot be recorded; the registry has failed then, so that another process continues the family.
   */
  record(about: { runId: string; step: string }): Promise<string>;
  /** Records the files at the end of a root run. Resolves with where its changes are; `undefined` without changes. */
  finish(spec: RunSpec): Promise<string | undefined>;
}
