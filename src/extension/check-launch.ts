import type { ExtensionConfig } from "../run/extension-config.ts";
import type { ProcessEnvironment } from "../source/process-environment.ts";
import { httpLaunch, processLaunch } from "./launch-config.ts";

/**
 * Checks a server's configuration against `environment`.
 *
 * @throws CadreError `tool-unavailable` when the server cannot be started.
 */
export function checkLaunch(config: ExtensionConfig, environment: ProcessEnvironment): void {
  if (config.type === "stdio") processLaunch(config, environment);
  else httpLaunch(config, environment);
}
