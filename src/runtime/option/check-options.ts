// Checks of the options of the library.

import type { z } from "zod";
import { CadreError } from "../../errors.ts";
import { isRecord } from "../../source/json.ts";
import type { CadreOptions } from "../cadre.ts";
import type { LibraryAgent } from "../library-agent.ts";
import { listIssues, showValue } from "./field.ts";
import { createLibraryAgentSchema } from "./library-agent-schema.ts";
import { optionSchema } from "./option-schema.ts";

/**
 * Checks the options of `createCadre` except agents and tools, for callers without a compiler. Refuses unknown options, because a
 * misspelt restriction would have no effect.
 *
 * @throws CadreError `config-invalid`; the message lists every problem.
 */
export function checkOptions(options: CadreOptions): void {
  const { error } = optionSchema.safeParse(options);
  if (error !== undefined) {
    const message = `The options of createCadre are not valid:${listIssues(error)}`;
    throw new CadreError("config-invalid", message);
  }
}

/**
 * Checks agents given in code. `ownTools` are the program's own tools, which they may name.
 *
 * @throws CadreError `definition-invalid`; the message lists every problem.
 */
export function checkAgents(agents: readonly LibraryAgent[], ownTools: readonly string[]): void {
  if (agents.length === 0) return;
  const schema = createLibraryAgentSchema(ownTools);
  const names = new Set<string>();
  for (const agent of agents) {
    checkAgent(agent, schema, "Cadre");
    if (names.has(agent.name)) {
      throw invalidAgent(agent.name, "\n- name: two agents have this one; each needs its own");
    }
    names.add(agent.name);
  }
}

/**
 * Checks an agent in a request. `ownTools` are the program's own tools, which it may name.
 *
 * @throws CadreError `definition-invalid`.
 */
export function checkInlineAgent(agent: unknown, ownTools: readonly string[]): void {
  checkAgent(agent, createLibraryAgentSchema(ownTools), "spawn");
  if (!isRecord(agent) || agent["run"] === undefined) return;
  const problem =
    "\n- run: a program must be available when its run is resumed. Pass it to createCadre({ agents }), and name it here";
  throw invalidAgent(agent["name"], problem, "spawn");
}

function checkAgent(agent: unknown, schema: z.ZodType, given: "Cadre" | "spawn"): void {
  const { error } = schema.safeParse(agent);
  if (error !== undefined) {
    throw invalidAgent(isRecord(agent) ? agent["name"] : agent, listIssues(error), given);
  }
}

function invalidAgent(
  name: unknown,
  problems: string,
  given: "Cadre" | "spawn" = "Cadre",
): CadreError {
  const message = `The agent ${showValue(name)} given to ${given} is not valid:${problems}`;
  return new CadreError("definition-invalid", message);
}
