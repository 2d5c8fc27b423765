import { CadreError } from "../errors.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";
import { nameExtension } from "./describe-extension.ts";

/** The file that declares extensions, and the check whether its folder is trusted. */
export interface ExtensionFile {
  /** The absolute path of the file that declares the extensions. */
  path: string;
  /** Reports whether a path is in a trusted folder. */
  isTrusted: (path: string) => boolean;
}

/**
 * Refuses extensions that a project declares in an untrusted folder. This includes servers over HTTP, because their headers may
 * send any environment variable to any host. Extensions in the user's own configuration need no check.
 *
 * @throws CadreError `not-trusted` that names the servers. It omits arguments, because journals store the message.
 */
export function checkExtensionTrust(
  configs: readonly ExtensionConfig[],
  { path, isTrusted }: ExtensionFile,
): void {
  if (configs.length === 0 || isTrusted(path)) return;
  const commands = configs.map((config) => `- ${nameExtension(config)}`);
  const message =
    `${path} brings its own MCP servers, but its folder is not trusted. These servers would have been started or called:\n${commands.join("\n")}\n` +
    "Read it there, then run `cadre trust` in the project, or use the option `trust` for this run.";
  throw new CadreError("not-trusted", message, {
    details: { path, extensions: configs.map(({ name }) => name) },
  });
}
