import type { RunSpec } from "../run/run.ts";

/** Records the files that a family's runs work on. Journals are stored separately. */
export interface FileRecorder {
  /**
   * Records the current files. Resolves with their commit once other machines can fetch it. `about` names the step that changed
   * them.
   *
   * @throws CadreError when the files cannot be recorded. The registry has then failed, so another process continues the family.
   */
  record(about: { runId: string; step: string }): Promise<string>;
  /** Records the files at the end of a root run. Resolves with the location of its changes; `undefined` without changes. */
  finish(spec: RunSpec): Promise<string | undefined>;
}
