import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import type { AgentDefinition, AgentScope } from "../../agent/definition/agent.ts";
import type { Discovery } from "../../agent/discover.ts";
import { type Diagnostic, hasError } from "../../source/diagnostic.ts";

const scopes: readonly AgentScope[] = ["library", "project", "user", "builtin"];

/** Adds agents of another kind after those of the same scope, because the first agent with a name is used. */
export function addAgents(
  found: Discovery,
  added: readonly AgentDefinition[],
  diagnostics: readonly Diagnostic[],
): Discovery {
  const names = new Map<string, AgentDefinition>();
  for (const agent of found.all) if (!names.has(agent.name)) names.set(agent.name, agent);
  const shadowed: Diagnostic[] = [];
  for (const definition of added) {
    const winner = names.get(definition.name);
    const isFirst = winner === undefined || rankOf(definition) < rankOf(winner);
    if (isFirst) names.set(definition.name, definition);
    else if (definition.source.path !== null) shadowed.push(describeShadow(definition, winner));
  }
  const all = [...found.all, ...added].sort((left, right) => rankOf(left) - rankOf(right));
  const isUsable = (agent: AgentDefinition): boolean =>
    names.get(agent.name) === agent && !hasError(agent.diagnostics);
  const usable = new Set(found.agents);
  const agents = all.filter(
    (agent) => isUsable(agent) && (usable.has(agent) || added.includes(agent)),
  );
  return { agents, all, diagnostics: [...found.diagnostics, ...diagnostics, ...shadowed] };
}

function rankOf({ source }: AgentDefinition): number {
  return scopes.indexOf(source.scope);
}

function describeShadow({ name, source }: AgentDefinition, winner: AgentDefinition): Diagnostic {
  const by = winner.source.path ?? `the ${winner.source.scope} one`;
  const { noun } = agentKindOf(source);
  return {
    path: source.path ?? "",
    line: 1,
    column: 1,
    severity: "warning",
    code: "shadowed",
    message: `The ${noun} ${name} is not used: ${by} has the same name and comes first.`,
    fix: "Rename one of them.",
  };
}
