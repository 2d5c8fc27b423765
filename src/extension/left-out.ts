import { CadreError } from "../errors.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";

/**
 * What a result says of an optional extension that cannot be used.
 *
 * @throws the error when the extension is not optional, or something else is wrong.
 */
export function describeLeftOut({ optional = false }: ExtensionConfig, error: unknown): string {
  if (!optional || !(error instanceof CadreError) || error.code !== "tool-unavailable") throw error;
  return `${error.message} The run went on without it.`;
}
