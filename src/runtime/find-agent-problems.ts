import { dirname } from "node:path";
import { isProgram } from "../agent/agent.ts";
import { CadreError } from "../errors.ts";
import { checkDefinition } from "../delegate/check-definition.ts";
import { listAgents } from "../pipeline/agent-list.ts";
import type { PlacedParameters } from "../pipeline/check-parameters.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import type { KeyPath } from "../source/place.ts";
import { checkAips } from "./aip/check-aips.ts";
import { defaultCoder, type PipelineServices } from "./pipeline-port.ts";
import { readModelOptions } from "./sub-agent-request.ts";

/** What the agents of a prompt are looked up in. */
export interface AgentLookup extends Pick<PipelineServices, "findAgent" | "checkModel"> {
  isTrusted: (path: string) => boolean;
}

/**
 * Finds what is wrong with the agents that the parameters themselves name: one that is missing, has errors, or asks for a model it
 * may not have, and an `.aip` agent whose Lua or templates do not compile. An agent in a folder that is not trusted is a
 * warning, because nothing is wrong with the file. `isCode`: none of the agents is a prompt for a model.
 */
export async function findAgentProblems(
  { path, params, placeOf }: PlacedParameters,
  { findAgent, checkModel, isTrusted }: AgentLookup,
): Promise<{ problems: Diagnostic[]; isCode: boolean }> {
  const problems: Diagnostic[] = [];
  let isCode = true;
  const look = async (keys: KeyPath, name: string, model = ""): Promise<void> => {
    try {
      const found = await findAgent(name, dirname(path));
      isCode = isCode && isProgram(found);
      if (found.source.format === "aip") problems.push(...(await checkAips([found])));
      checkDefinition(found, isTrusted);
      checkModel({ model, source: { format: "prompt", scope: "library", path } });
    } catch (error) {
      if (!(error instanceof CadreError)) throw error;
      const { code, message, details } = error;
      const isTrust = code === "not-trusted" || details["problem"] === "not-trusted";
      problems.push({
        path,
        ...placeOf(...keys),
        severity: isTrust ? "warning" : "error",
        code: isTrust ? "not-trusted" : code,
        message,
        fix: adviseBuiltin(name),
      });
    }
  };
  for (const { config, keys } of listAgents(params).agents) {
    if (config.enabled) await look(keys, config.name, readModelOptions(config).model);
  }
  const { agent } = params;
  await look(["agent"], typeof agent === "string" ? agent : defaultCoder);
  return { problems, isCode };
}

/** Whether a pipeline must not begin with this problem of its agents. */
export function isBlocking({ severity, code }: Diagnostic): boolean {
  return severity === "error" || code === "not-trusted";
}

/** Cadre brings agents along under the names that they have in pro@coder. */
function adviseBuiltin(name: string): string | null {
  const [, own] = /^pro@coder\/(auto-context|code-map)(?:\.aip)?$/.exec(name) ?? [];
  return own === undefined ? null : `Write \`${own}\`: Cadre brings an agent of that name along.`;
}
