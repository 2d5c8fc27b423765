/** An agent as a list of fields that explain it. */

import type { Diagnostic, ServedAgent } from "./types.ts";

/** A field of an agent and the problem with it. */
export interface AgentField {
  name: string;
  value: string;
  /** Where the field is set: `line 4` or another file; `null` when it is not set. */
  from: string | null;
  findings: readonly Diagnostic[];
}

/** Returns the fields of an agent, and the findings that concern none of them. */
export function listAgentFields(agent: ServedAgent): {
  fields: AgentField[];
  others: readonly Diagnostic[];
} {
  const { lines, origins = {}, diagnostics } = agent;
  const used = new Set<Diagnostic>();
  const fields = listFields(agent).map(([key, name, value]): AgentField => {
    const line = lines[key];
    const findings = diagnostics.filter((finding) => finding.line === line);
    for (const finding of findings) used.add(finding);
    const from = origins[key] ?? (line === undefined ? null : `line ${line}`);
    return { name, value, from, findings };
  });
  return { fields, others: diagnostics.filter((finding) => !used.has(finding)) };
}

/** Returns the key of each field in the file, its name, and its value or the default. */
function listFields(agent: ServedAgent): [string, string, string][] {
  const { model, tools, disallowedTools, timeoutSeconds, maxTurns = 50, agents, budget } = agent;
  const { permissionMode, effort, temperature, fallbacks, extensions, skills, runner } = agent;
  const optional: [string, string, string | undefined][] = [
    ["runner", "runs in", runner],
    ["fallbacks", "fallbacks", fallbacks?.join(", ")],
    ["temperature", "temperature", temperature?.toString()],
    ["effort", "effort", effort],
    ["permissionMode", "mode", permissionMode],
    ["disallowedTools", "without tools", disallowedTools?.join(", ")],
    ["extensions", "extensions", extensions?.map(nameOf).join(", ")],
    ["skills", "skills", skills?.join(", ")],
    ["budget", "budget", budget && JSON.stringify(budget)],
    ["inputSchema", "input", agent.inputSchema && "has a schema"],
    ["outputSchema", "output", agent.outputSchema && "has a schema"],
    ["isolation", "isolation", agent.isolation],
    ["memory", "memory", agent.memory],
  ];
  return [
    ["model", "model", model ?? "its parent's, or the default"],
    ["tools", "tools", tools === undefined ? "all" : tools.join(", ") || "none"],
    ["agents", "delegates to", agents === undefined ? "every agent" : agents.join(", ") || "none"],
    ["timeoutSeconds", "timeout", `${timeoutSeconds} s`],
    ["maxTurns", "turns", `at most ${maxTurns}`],
    ...optional.flatMap(([key, name, value]): [string, string, string][] =>
      value === undefined ? [] : [[key, name, value]],
    ),
  ];
}

function nameOf(extension: string | { name: string }): string {
  return typeof extension === "string" ? extension : extension.name;
}
