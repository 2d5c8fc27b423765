/** The maximum length of a server's name. A longer one leaves no room for the tool in the 64 characters of the whole name. */
const maxServerNameLength = 40;

/**
 * Converts the name of an MCP server to its form in tool names, `mcp__SERVER__TOOL`. Characters other than `a-z A-Z 0-9
 * _ -` are replaced. Double underscores and underscores at the edges are removed, because two underscores end the name.
 */
export function toServerName(extension: string): string {
  const name = extension
    .replaceAll(/[^\w-]/g, "_")
    .replaceAll(/_{2,}/g, "_")
    .replace(/^_/, "")
    .slice(0, maxServerNameLength)
    .replace(/_$/, "");
  return name === "" ? "server" : name;
}

/** Returns the prefix of the names of all tools of an MCP server. */
export function serverPrefix(extension: string): string {
  return `mcp__${toServerName(extension)}__`;
}
