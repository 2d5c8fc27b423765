import { dirname } from "node:path";
import { isProgram } from "../agent/agent.ts";
import { CadreError } from "../errors.ts";
import { checkDefinition } from "../delegate/check-definition.ts";
import { listAgents } from "../pipeline/agent-list.ts";
import type { PlacedParameters } from "../pipeline/check-parameters.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import type { KeyPath } from "../source/place.ts";
import { defaultCoder, type PipelineServices } from "./pipeline-port.ts";
import { readModelOptions } from "./sub-agent-request.ts";

/** What the agents of a prompt are looked up in. */
export interface AgentLookup extends Pick<PipelineServices, "findAgent" | "checkModel"> {
  isTrusted: (path: string) => boolean;
}

/**
 * Why agents that the parameters themselves name cannot be had, or not with the models named there. That the folder of one is
 * not trusted is a warning: nothing is wrong with the file, and yet it cannot be run. `isCode`: none of them is a prompt for
 * a model.
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

/** Cadre brings agents along under the names that they have in pro@coder. */
function adviseBuiltin(name: string): string | null {
  const [, own] = /^pro@coder\/(auto-context|code-map)(?:\.aip)?$/.exec(name) ?? [];
  return own === undefined ? null : `Write \`${own}\`: Cadre brings an agent of that name along.`;
}
