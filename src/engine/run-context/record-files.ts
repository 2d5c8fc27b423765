import type { Registry } from "../../registry/registry.ts";
import type { Watchdog } from "./watchdog.ts";

/**
 * Records the files after a step, if the registry records files. Resolves with a field for the step's event, through which the
 * journal names the files after its last effect.
 */
export async function recordFiles(
  { registry: { files }, watchdog }: { registry: Pick<Registry, "files">; watchdog: Watchdog },
  about: { runId: string; step: string },
): Promise<{ files?: string }> {
  if (files === undefined) return {};
  return { files: await watchdog.ignoreSilenceWhile(files.record(about)) };
}
