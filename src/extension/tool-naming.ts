import { createHash } from "node:crypto";
import { serverPrefix } from "../run/server-name.ts";

/** A tool of a server, by the names they give themselves. */
export interface RemoteName {
  extension: string;
  tool: string;
}

/** What providers accept. */
const longestName = 64;

/**
 * A name for each of `tools`, in their order: `mcp__EXTENSION__TOOL` with other characters than `a-z A-Z 0-9 _ -` replaced.
 * What is too long, or would be called like another one, gets a hash of its own names at the end, so a name does not
 * depend on what else there is or in which order: except for the one that needed no change, which keeps its name.
 */
export function nameTools(tools: readonly RemoteName[]): string[] {
  const plain = tools.map(plainName);
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return tools.map((tool, index) => {
    const name = plain[index] ?? "";
    const isExact = name === `mcp__${tool.extension}__${tool.tool}`;
    const isAlone = counts.get(name) === 1;
    return name.length <= longestName && (isAlone || isExact) ? name : hashedName(name, tool);
  });
}

function plainName({ extension, tool }: RemoteName): string {
  return serverPrefix(extension) + tool.replaceAll(/[^\w-]/g, "_");
}

function hashedName(name: string, { extension, tool }: RemoteName): string {
  const identity = JSON.stringify([extension, tool]);
  const hash = createHash("sha256").update(identity).digest("hex").slice(0, 8);
  return `${name.slice(0, longestName - hash.length - 1)}_${hash}`;
}
