import type { Registry } from "../../registry/registry.ts";

/**
 * Records the files after a step, where the registry does that. Resolves with a field of the step's event, so that the journal names
 * the files of its last effect.
 */
export async function recordFiles(
  { files }: Pick<Registry, "files">,
  about: { runId: string; step: string },
): Promise<{ files?: string }> {
  return files === undefined ? {} : { files: await files.record(about) };
}
