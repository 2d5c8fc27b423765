import type { ExtensionConfig, StoredExtension } from "../run/extension-config.ts";
import { type Environment, httpLaunch, processLaunch } from "./launch-config.ts";
import { loadExtension } from "./stored-extension.ts";

/**
 * Makes sure that servers that were stored could be started with the variables there are now: a run need not end because
 * it was resumed without one.
 *
 * @throws CadreError `tool-unavailable` that names what is not set.
 */
export async function checkVariables(
  folder: string,
  stored: readonly StoredExtension[],
  environment: Environment,
): Promise<void> {
  for (const one of stored) {
    const config = await loadExtension(folder, one).catch(() => null);
    // Of one that is lost the run itself says so: waiting would not help.
    if (config !== null) checkLaunch(config, environment);
  }
}

/** @throws CadreError `tool-unavailable` when a server cannot be started as it is configured, with `environment`. */
export function checkLaunch(config: ExtensionConfig, environment: Environment): void {
  if (config.type === "stdio") processLaunch(config, environment);
  else httpLaunch(config, environment);
}
