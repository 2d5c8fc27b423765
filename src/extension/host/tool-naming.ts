import { createHash } from "node:crypto";
import { serverPrefix } from "../../run/server-name.ts";

/** A server's tool, by the original names. */
export interface RemoteName {
  extension: string;
  tool: string;
}

/** The maximum length of a name that providers accept. */
const maxNameLength = 64;

/**
 * Returns a name for each of `tools`, in order: `mcp__EXTENSION__TOOL` with characters other than `a-z A-Z 0-9 _ -`
 * replaced. A name that is too long or not unique gets a hash of the original names, so that it does not depend on the
 * other tools or their order. A name that needed no replacement is kept.
 */
export function nameTools(tools: readonly RemoteName[]): string[] {
  const plain = tools.map(plainName);
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return tools.map((tool, index) => {
    const name = plain[index] ?? "";
    const isExact = name === `mcp__${tool.extension}__${tool.tool}`;
    const isAlone = counts.get(name) === 1;
    return name.length <= maxNameLength && (isAlone || isExact) ? name : hashedName(name, tool);
  });
}

function plainName({ extension, tool }: RemoteName): string {
  return serverPrefix(extension) + tool.replaceAll(/[^\w-]/g, "_");
}

function hashedName(name: string, { extension, tool }: RemoteName): string {
  const identity = JSON.stringify([extension, tool]);
  const hash = createHash("sha256").update(identity).digest("hex").slice(0, 8);
  return `${name.slice(0, maxNameLength - hash.length - 1)}_${hash}`;
}
