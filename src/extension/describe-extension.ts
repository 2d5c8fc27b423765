import { quoteWord } from "../source/shell/quote-word.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";

/**
 * Names a server in stored messages: `MCP server github (command npx)`. It omits arguments and paths, which may hold
 * secrets.
 */
export function nameExtension(config: ExtensionConfig): string {
  if (config.type === "stdio") return `MCP server ${config.name} (command ${config.command})`;
  // A URL with variables may not be valid yet.
  const origin = /^https?:\/\/(?:[^/@?#]*@)?([^/?#]*)/i.exec(config.url)?.[1] ?? "its url";
  return `MCP server ${config.name} (${origin})`;
}

/**
 * Describes a server to the user who decides whether it may run: its whole command line, or only the origin of its URL,
 * because the rest may contain secrets.
 */
export function describeExtension(config: ExtensionConfig): string {
  if (config.type === "streamable_http") return nameExtension(config);
  return `MCP server ${config.name}: ${[config.command, ...config.args].map(quoteWord).join(" ")}`;
}
