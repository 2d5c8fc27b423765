import { type AgentDefinition, defaultTimeoutSeconds } from "../../agent/definition/agent.ts";
import type { ProgramAgent } from "../../agent/program/program.ts";
import type { LibraryAgent } from "../library-agent.ts";

/** The agents given in code. */
export interface CodeAgents {
  definitions(): AgentDefinition[];
  /** Returns the program of that name. */
  program(name: string): ProgramAgent | undefined;
  add(agent: LibraryAgent): void;
}

/** Creates the list of agents given in code; more can be added. */
export function createCodeAgents(given: readonly LibraryAgent[]): CodeAgents {
  const agents = [...given];
  return {
    definitions: () => agents.map(toDefinition),
    program(name) {
      const agent = agents.find((one) => one.name === name);
      return agent !== undefined && "run" in agent ? agent : undefined;
    },
    add: (agent) => void agents.push(agent),
  };
}

function toDefinition(agent: LibraryAgent): AgentDefinition {
  const shared = { diagnostics: [], lines: {} };
  if (!("run" in agent)) {
    const source = { format: "library", scope: "library", path: null } as const;
    const tools = letReadEdited(agent.tools);
    return { timeoutSeconds: defaultTimeoutSeconds, ...agent, ...tools, source, ...shared };
  }
  const { run: _, timeoutSeconds = defaultTimeoutSeconds, ...rest } = agent;
  const source = { format: "program", scope: "library", path: null } as const;
  return { ...rest, systemPrompt: "", timeoutSeconds, source, ...shared };
}

/** As in files: an edit needs the file to have been read. */
function letReadEdited(tools: AgentDefinition["tools"]): Pick<AgentDefinition, "tools"> {
  const isNeeded = tools?.includes("Edit") === true && !tools.includes("Read");
  return isNeeded ? { tools: [...tools, "Read"] } : {};
}
