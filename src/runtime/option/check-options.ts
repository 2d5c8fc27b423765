import type { z } from "zod";
import { CadreError } from "../../errors.ts";
import { isRecord } from "../../source/json.ts";
import type { CadreOptions } from "../cadre.ts";
import { showValue } from "./field.ts";
import { libraryAgentSchema } from "./library-agent-schema.ts";
import { optionSchema } from "./option-schema.ts";

/**
 * Checks the options of `createCadre`, since not every caller has a compiler that does. Unknown options are refused too: a
 * misspelt restriction would have no effect.
 *
 * @throws CadreError `config-invalid`, or `definition-invalid` for an agent; the message lists all that is wrong.
 */
export function checkOptions(options: CadreOptions): void {
  const { error } = optionSchema.safeParse(options);
  if (error !== undefined) {
    const message = `The options of createCadre are not valid:${listIssues(error)}`;
    throw new CadreError("config-invalid", message);
  }
  const names = new Set<string>();
  for (const agent of options.agents ?? []) {
    checkAgent(agent);
    if (names.has(agent.name)) {
      throw invalidAgent(agent.name, "\n- name: two agents have this one; each needs its own");
    }
    names.add(agent.name);
  }
}

function checkAgent(agent: unknown): void {
  const { error } = libraryAgentSchema.safeParse(agent);
  if (error !== undefined) {
    throw invalidAgent(isRecord(agent) ? agent["name"] : agent, listIssues(error));
  }
}

function invalidAgent(name: unknown, problems: string): CadreError {
  const message = `The agent ${showValue(name)} given to createCadre is not valid:${problems}`;
  return new CadreError("definition-invalid", message);
}

function listIssues({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => `\n- ${path.length === 0 ? "" : `${path.join(".")}: `}${message}`)
    .join("");
}
