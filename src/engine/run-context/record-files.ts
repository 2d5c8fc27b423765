import type { Registry } from "../../registry/registry.ts";
import type { Watchdog } from "./watchdog.ts";

/**
 * Records the files after a step, where the registry does that. Resolves with a field of the step's event, so that the journal names
 * the files of its last effect.
 */
export async function recordFiles(
  { registry: { files }, watchdog }: { registry: Pick<Registry, "files">; watchdog: Watchdog },
  about: { runId: string; step: string },
): Promise<{ files?: string }> {
  if (files === undefined) return {};
  return { files: await watchdog.ignoreSilenceWhile(files.record(about)) };
}
