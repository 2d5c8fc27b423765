import type { ExtensionConfig } from "../run/extension-config.ts";
import { type Environment, httpLaunch, processLaunch } from "./launch-config.ts";

/** @throws CadreError `tool-unavailable` when a server cannot be started as it is configured, with `environment`. */
export function checkLaunch(config: ExtensionConfig, environment: Environment): void {
  if (config.type === "stdio") processLaunch(config, environment);
  else httpLaunch(config, environment);
}
