import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { CadreError } from "../../errors.ts";
import { type Diagnostic, formatDiagnostic } from "../../source/diagnostic.ts";
import { didYouMean } from "../../source/nearest.ts";
import type { Origin } from "../assignment.ts";

/** The agents that can be found. */
export interface AgentDirectory {
  /** Returns every agent that can receive delegations. */
  agents: () => Promise<readonly AgentDefinition[]>;
  /** Returns why a definition with that name cannot be used; empty when there is no such definition. */
  problemsOf: (name: string) => Promise<readonly Diagnostic[]>;
}

/**
 * Finds the agent that `origin` (absent: the user) names.
 *
 * @throws CadreError `agent-not-found`, `definition-invalid`, or `delegation-denied` when `origin` may not delegate to it.
 */
export async function findAgent(
  { agents, problemsOf }: AgentDirectory,
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
  const isFile = origin === undefined && name.endsWith(".md");
  const hint = isFile
    ? " A prompt file is started with `cadre run FILE`, `spawnPipeline`, or POST /pipelines."
    : didYouMean(name, known);
  throw new CadreError("agent-not-found", `Unknown agent: "${name}".${hint} Available: ${names}.`, {
    details: { name, available: known },
  });
}
