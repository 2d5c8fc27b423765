import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { toolsForExtension } from "../../recipe/goose-extension.ts";
import type { StoredExtension } from "../../run/extension-config.ts";
import { serverPrefix } from "../../run/server-name.ts";
import { coversTool } from "../../run/tool-names.ts";

/** The extensions named in a call. */
export interface AskedExtensions {
  names: readonly string[];
  /** The servers among them. */
  servers: readonly StoredExtension[];
  /** The tools of the delegating run; `null` = all. */
  parentTools: readonly string[] | null;
}

/** The tools of an agent's extensions, as names and patterns, and warnings about them. */
export interface ToolsOfExtensions {
  tools: readonly string[];
  warnings: readonly string[];
}

/**
 * Finds the tools that `definition` gets from the extensions in a call. A tool list that mentions an extension takes precedence.
 * A recipe's tools come from its extension list, which need not include the parent's extensions.
 */
export function toolsOfExtensions(
  definition: Pick<AgentDefinition, "name" | "tools" | "source">,
  { names, servers, parentTools }: AskedExtensions,
): ToolsOfExtensions {
  const { name: agent, tools: own, source } = definition;
  const tools = new Set<string>();
  const warnings: string[] = [];
  for (const name of names) {
    const server = servers.find((one) => one.name === name);
    const all = [
      ...(toolsForExtension(name) ?? []),
      ...(server === undefined ? [] : [`${serverPrefix(name)}*`]),
    ];
    const ofOwn = own === undefined ? [] : intersect(own, all);
    const isOpen = own === undefined || agentKindOf(source).addsTools;
    const ofParent = server?.isOwn === true ? all : intersect(parentTools ?? all, all);
    const found = ofOwn.length === 0 && isOpen ? ofParent : ofOwn;
    for (const tool of found) tools.add(tool);
    if (found.length > 0) continue;
    const why = isOpen ? "its parent has none of them" : `its own are ${own.join(", ") || "none"}`;
    warnings.push(`Agent ${agent} was given no tools of the extension ${name}: ${why}.`);
  }
  return { tools: [...tools], warnings };
}

/** Returns the narrower pattern of each pair in which one pattern contains the other. */
function intersect(left: readonly string[], right: readonly string[]): string[] {
  return left.flatMap((one) =>
    right.flatMap((other) => (coversTool(one, other) ? other : coversTool(other, one) ? one : [])),
  );
}
