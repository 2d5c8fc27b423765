import { CadreError } from "../errors.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";
import { nameExtension } from "./describe-extension.ts";

/** Where extensions were written, and whether what is there may run. */
export interface ExtensionOrigin {
  /** The file that names them, absolute. */
  path: string;
  /** Whether a path is in a trusted folder. */
  isTrusted: (path: string) => boolean;
}

/**
 * Refuses extensions that a project brings along in a folder that is not trusted. Servers over HTTP count too: their
 * headers may carry any variable of the environment to wherever the file says. What the user wrote in his own
 * configuration needs no check.
 *
 * @throws CadreError `not-trusted` that names what would have run. The message ends in journals, so it has no arguments.
 */
export function checkExtensionTrust(
  configs: readonly ExtensionConfig[],
  { path, isTrusted }: ExtensionOrigin,
): void {
  if (configs.length === 0 || isTrusted(path)) return;
  const commands = configs.map((config) => `- ${nameExtension(config)}`);
  const message =
    `${path} brings its own MCP servers, but its folder is not trusted. This would have run or been asked:\n${commands.join("\n")}\n` +
    "Read it there, then run `cadre trust` in the project, or use the option `trust` for this run.";
  throw new CadreError("not-trusted", message, {
    details: { path, extensions: configs.map(({ name }) => name) },
  });
}
