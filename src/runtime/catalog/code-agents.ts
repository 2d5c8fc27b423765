import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { ProgramAgent } from "../../agent/program/program.ts";
import type { LibraryAgent } from "../library-agent.ts";
import { toDefinition } from "./given-definition.ts";

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
