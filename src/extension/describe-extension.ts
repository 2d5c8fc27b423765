import type { ExtensionConfig } from "../run/extension-config.ts";

/** A server for messages that are kept: `MCP server github (command npx)`. Arguments and paths may hold secrets. */
export function nameExtension(config: ExtensionConfig): string {
  if (config.type === "stdio") return `MCP server ${config.name} (command ${config.command})`;
  // A URL with variables in it may be none yet.
  const origin = /^https?:\/\/(?:[^/@?#]*@)?([^/?#]*)/i.exec(config.url)?.[1] ?? "its url";
  return `MCP server ${config.name} (${origin})`;
}

/**
 * What would run or be reached, for a user who decides whether it may: the whole command line of a server, or the origin
 * of its URL, whose other parts may be secrets.
 */
export function describeExtension(config: ExtensionConfig): string {
  if (config.type === "streamable_http") return nameExtension(config);
  return `MCP server ${config.name}: ${[config.command, ...config.args].map(quoteWord).join(" ")}`;
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
