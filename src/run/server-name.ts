/** Longer ones would leave no room for the name of a tool, which has 64 characters with all. */
const longestServerName = 40;

/**
 * The name of an MCP server as it is in those of its tools, `mcp__SERVER__TOOL`: other characters than `a-z A-Z 0-9 _ -` are
 * replaced, and since two underscores end it, it has none in a row and none at its edges.
 */
export function toServerName(extension: string): string {
  const name = extension
    .replaceAll(/[^\w-]/g, "_")
    .replaceAll(/_{2,}/g, "_")
    .replace(/^_/, "")
    .slice(0, longestServerName)
    .replace(/_$/, "");
  return name === "" ? "server" : name;
}

/** What the names of all tools of an MCP server begin with. */
export function serverPrefix(extension: string): string {
  return `mcp__${toServerName(extension)}__`;
}
