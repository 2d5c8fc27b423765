import { existsSync } from "node:fs";
import { errorMessage } from "../../error-message.ts";
import { CadreError } from "../../errors.ts";
import { createFolder } from "../../source/file/create-folder.ts";
import { type EvalContext, recordingPath, requireRecording } from "./eval-context.ts";
import type { PlannedTrial } from "./trial-plan.ts";

/**
 * Creates the folder of an eval's recordings, or requires that the folder to replay has one of its trials. A folder that has none
 * is the wrong one, or of another model; where some exist, only the trials without one are errors.
 *
 * @throws CadreError `invalid-argument` when the folder cannot be created, and `model-unavailable` when it has no recording.
 */
export function prepareRecordings(
  { recordings }: Pick<EvalContext, "recordings">,
  plans: readonly PlannedTrial[],
): void {
  if (recordings === undefined) return;
  const { folder, mode } = recordings;
  if (mode === "record") return createForRecordings(folder);
  const [first, ...others] = plans.map(({ key }) => key);
  const isThere = (key: string): boolean => existsSync(recordingPath(recordings, key));
  if (first !== undefined && !others.some(isThere)) requireRecording(recordings, first);
}

function createForRecordings(folder: string): void {
  try {
    createFolder(folder, 0o777);
  } catch (cause) {
    const message = `Expected a folder for recordings that exists or can be created; got ${folder} (${errorMessage(cause)}).`;
    throw new CadreError("invalid-argument", message, { cause });
  }
}
