import type { AgentDefinition } from "../agent/agent.ts";
import { CadreError } from "../errors.ts";
import { type Diagnostic, formatDiagnostic } from "../source/diagnostic.ts";
import { didYouMean } from "../source/nearest.ts";
import type { Origin } from "./delegation.ts";

/** Where agents come from. */
export interface AgentSource {
  /** Every agent that can be delegated to. */
  agents: () => Promise<readonly AgentDefinition[]>;
  /** What keeps a definition of that name from being delegated to; empty when there is none of that name. */
  problemsOf: (name: string) => Promise<readonly Diagnostic[]>;
}

/**
 * The agent that `origin` (absent: the user) means by `name`.
 *
 * @throws CadreError `agent-not-found`, `definition-invalid`, or `delegation-denied` when `origin` may not delegate to it.
 */
export async function findAgent(
  { agents, problemsOf }: AgentSource,
  name: string,
  origin: Pick<Origin, "spec"> | undefined,
): Promise<AgentDefinition> {
  const all = await agents();
  const allowed = origin?.spec.agents ?? null;
  const available = allowed === null ? all : all.filter((agent) => allowed.includes(agent.name));
  const found = available.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  const known = available.map((agent) => agent.name);
  const names = known.join(", ") || "none";
  if (all.some((agent) => agent.name === name)) {
    const message = `Agent ${origin?.spec.agent} may not delegate to ${name}. Available: ${names}.`;
    throw new CadreError("delegation-denied", message);
  }
  const [problem] = await problemsOf(name);
  if (problem !== undefined) {
    const message = `Agent ${name} cannot be used: ${formatDiagnostic(problem)} Available: ${names}.`;
    throw new CadreError("definition-invalid", message, { details: { problem: problem.code } });
  }
  const hint = didYouMean(name, known);
  throw new CadreError("agent-not-found", `Unknown agent: "${name}".${hint} Available: ${names}.`, {
    details: { name, available: known },
  });
}
