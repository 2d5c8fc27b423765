import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { RunSpec } from "../../run/run.ts";
import type { Tool } from "../../tool/tool.ts";

/** The tools of a run, and warnings about tools that it does not get. */
export interface ToolSelection<Offered> {
  tools: Map<string, Offered>;
  warnings: string[];
}

/** The names of tools that are exempt from some rules. */
export interface ToolExceptions {
  own?: ReadonlySet<string>;
  always?: ReadonlySet<string>;
  /** Prefixes of tool names whose servers were left out; a warning says so already. */
  leftOut?: readonly string[];
}

/**
 * Selects from `offered` the tools that `definition` asks for: without the disallowed ones, and restricted to the allow list, to
 * the tools that the request allows, and to the parent's tools, so that delegation never adds rights. `own` are tools of the
 * agent's own extensions, which no parent has. `always` are granted to every such run unless they are disallowed.
 */
export function selectTools<Offered extends Pick<Tool, "name">>(
  offered: readonly Offered[],
  definition: Pick<AgentDefinition, "name" | "tools" | "disallowedTools">,
  { parentTools, tools: requested }: Pick<RunSpec, "parentTools" | "tools">,
  { own, always, leftOut = [] }: ToolExceptions = {},
): ToolSelection<Offered> {
  const { tools: allowed, disallowedTools: disallowed = [] } = definition;
  const warnings: string[] = [];
  const asked = offered.filter(
    ({ name }) =>
      !isListed(disallowed, name) &&
      (always?.has(name) === true ||
        ((allowed === undefined || isListed(allowed, name)) &&
          (requested === undefined || isListed(requested, name)))),
  );
  const isMissing = (pattern: string): boolean =>
    !offered.some(({ name }) => matches(pattern, name)) &&
    !leftOut.some((prefix) => pattern.startsWith(prefix));
  const missing = (allowed ?? []).filter(isMissing);
  if (missing.length > 0) {
    warnings.push(`Agent ${definition.name} names tools that do not exist: ${missing.join(", ")}.`);
  }
  const unknown = (requested ?? []).filter(isMissing);
  if (unknown.length > 0) {
    warnings.push(`The request names tools that do not exist: ${unknown.join(", ")}.`);
  }
  if (parentTools === null) return { tools: byName(asked), warnings };
  const isGranted = ({ name }: Offered): boolean =>
    parentTools.includes(name) || own?.has(name) === true || always?.has(name) === true;
  const granted = asked.filter(isGranted);
  const withheld = asked.filter((tool) => !isGranted(tool)).map(({ name }) => name);
  if (allowed !== undefined && withheld.length > 0) {
    warnings.push(
      `Agent ${definition.name} names tools that its parent does not have, so it did not get them: ${withheld.join(", ")}.`,
    );
  }
  return { tools: byName(granted), warnings };
}

/** Finds the tool that a model means, ignoring the case of its name. */
export function findTool(tools: ReadonlyMap<string, Tool>, name: string): Tool | undefined {
  const exact = tools.get(name);
  if (exact !== undefined) return exact;
  const lower = name.toLowerCase();
  for (const tool of tools.values()) if (tool.name.toLowerCase() === lower) return tool;
  return undefined;
}

function byName<Named extends Pick<Tool, "name">>(tools: readonly Named[]): Map<string, Named> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function isListed(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matches(pattern, name));
}

/** A pattern is a name, or ends in `*`, such as `mcp__github__*`. */
function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
