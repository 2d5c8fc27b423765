import type { ExtensionConfig } from "../run/extension-config.ts";

/** A server for messages that are kept: `MCP server github (command npx)`. Arguments and paths may hold secrets. */
export function nameExtension(config: ExtensionConfig): string {
  if (config.type === "stdio") return `MCP server ${config.name} (command ${config.command})`;
  // A URL with variables in it may be none yet.
  const origin = /^https?:\/\/(?:[^/@?#]*@)?([^/?#]*)/i.exec(config.url)?.[1] ?? "its url";
  return `MCP server ${config.name} (${origin})`;
}
