import { CadreError } from "../errors.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";

/**
 * Returns the warning about an unusable optional extension.
 *
 * @throws `error` when the extension is not optional, or for any other error.
 */
export function describeLeftOut({ optional = false }: ExtensionConfig, error: unknown): string {
  if (!optional || !(error instanceof CadreError) || error.code !== "tool-unavailable") throw error;
  return `${error.message} The run continued without it.`;
}
