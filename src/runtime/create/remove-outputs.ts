import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isRunId } from "../../run/run-id.ts";

/** Removes the long outputs of deleted runs from the folder of the registry. */
export async function removeOutputs(folder: string, runIds: readonly string[]): Promise<void> {
  // An id in a foreign journal may be any path.
  for (const id of runIds.filter(isRunId)) {
    await rm(join(folder, "outputs", id), { recursive: true, force: true });
  }
}
