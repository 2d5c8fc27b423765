import type { AgentDefinition } from "../agent/agent.ts";
import type { RunSpec } from "../run/run.ts";
import type { Tool } from "../tool/tool.ts";

/** The tools a run gets, and what should be known about those it does not get. */
export interface ToolSelection<Offered> {
  tools: Map<string, Offered>;
  warnings: string[];
}

/** The names of tools to which not every rule applies. */
export interface ToolExceptions {
  own?: ReadonlySet<string>;
  always?: ReadonlySet<string>;
  /** What the names of tools begin with whose server was left out; a warning says so already. */
  leftOut?: readonly string[];
}

/**
 * The tools of `offered` that `definition` asks for: the disallowed ones taken away first, then the allow list applied,
 * then what the parent could not use itself: delegating must not be a way to more rights. `own` are those of extensions that the
 * agent brings along, which no parent can have; `always` are those that every such run gets unless they are disallowed.
 */
export function selectTools<Offered extends Pick<Tool, "name">>(
  offered: readonly Offered[],
  definition: Pick<AgentDefinition, "name" | "tools" | "disallowedTools">,
  { parentTools }: Pick<RunSpec, "parentTools">,
  { own, always, leftOut = [] }: ToolExceptions = {},
): ToolSelection<Offered> {
  const { tools: allowed, disallowedTools: disallowed = [] } = definition;
  const warnings: string[] = [];
  const asked = offered.filter(
    ({ name }) =>
      !disallowed.some((pattern) => matches(pattern, name)) &&
      (allowed === undefined ||
        always?.has(name) === true ||
        allowed.some((pattern) => matches(pattern, name))),
  );
  const missing = (allowed ?? []).filter(
    (pattern) =>
      !offered.some(({ name }) => matches(pattern, name)) &&
      !leftOut.some((prefix) => pattern.startsWith(prefix)),
  );
  if (missing.length > 0) {
    warnings.push(
      `Agent ${definition.name} names tools that are not there: ${missing.join(", ")}.`,
    );
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

/** The tool a model means: by its name, or by that name in another case. */
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

/** Patterns end in `*`, such as `mcp__github__*`, or are names. */
function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
