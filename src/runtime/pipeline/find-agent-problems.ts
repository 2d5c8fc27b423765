import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import { dirname } from "node:path";
import { type AgentDefinition, isProgram } from "../../agent/definition/agent.ts";
import { CadreError } from "../../errors.ts";
import { checkDefinition } from "../../delegate/request/check-definition.ts";
import type { AssignmentSource } from "../../delegate/request/to-assignment.ts";
import { describeUnusableModel } from "../../delegate/settings/choose-model.ts";
import { listAgents } from "../../pipeline/prompt-file/agent-list.ts";
import type { PositionedParameters } from "../../pipeline/prompt-file/check-parameters.ts";
import type { AgentConfig } from "../../pipeline/prompt-file/entry.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import type { KeyPath } from "../../source/position.ts";
import { checkAips } from "../aip/check-aips.ts";
import { defaultCoder, type PipelineServices } from "./pipeline-port.ts";
import { readEntryOptions, readPromptOptions } from "../aip/aip-model-choice.ts";
import { findEntryModel } from "./entry-model.ts";

/** The lookup of a prompt's agents. */
export interface AgentLookup
  extends
    Pick<PipelineServices, "findAgent" | "checkModel">,
    Pick<AssignmentSource, "chooseAipModel"> {
  /** Looks up a model that an entry names. Rejects with CadreError `model-unavailable`. */
  resolveModel: (reference: string) => Promise<unknown>;
  isTrusted: (path: string) => boolean;
}

/**
 * Finds problems of the agents that the parameters name: missing agents, agents with errors or with a forbidden or unknown model
 * in their entry, and `.aip` agents whose Lua or templates do not compile. An agent in an untrusted folder is only a warning,
 * because its file is valid. `isCode`: none of the agents is a prompt for a model.
 */
export async function findAgentProblems(
  { path, params, positionOf }: PositionedParameters,
  lookup: AgentLookup,
): Promise<{ problems: Diagnostic[]; isCode: boolean }> {
  const problems: Diagnostic[] = [];
  let isCode = true;
  const checkAgent = async (keys: KeyPath, name: string, config?: AgentConfig): Promise<void> => {
    try {
      const found = await lookup.findAgent(name, dirname(path));
      isCode = isCode && isProgram(found);
      if (found.source.format === "aip") problems.push(...(await checkAips([found])));
      checkDefinition(found, lookup.isTrusted);
      if (config !== undefined) await checkEntryModel(lookup, found, config, { path, params });
    } catch (error) {
      if (!(error instanceof CadreError)) throw error;
      const { code, message, details } = error;
      const isTrust = code === "not-trusted" || details["problem"] === "not-trusted";
      problems.push({
        path,
        ...positionOf(...keys),
        severity: isTrust ? "warning" : "error",
        code: isTrust ? "not-trusted" : code,
        message,
        fix: adviseBuiltin(name),
      });
    }
  };
  for (const { config, keys } of listAgents(params).agents) {
    if (config.enabled) await checkAgent(keys, config.name, config);
  }
  const { agent } = params;
  await checkAgent(["agent"], typeof agent === "string" ? agent : defaultCoder);
  return { problems, isCode };
}

/** @throws CadreError `not-trusted` or `model-unavailable` for the model that an entry names. */
async function checkEntryModel(
  { checkModel, chooseAipModel, resolveModel }: AgentLookup,
  found: AgentDefinition,
  config: AgentConfig,
  { path, params }: Pick<PositionedParameters, "path" | "params">,
): Promise<void> {
  const model = findEntryModel(found, config, params);
  if (model === undefined) return;
  checkModel({ model, source: { format: "prompt", scope: "library", path } });
  const options = agentKindOf(found.source).takesAipOptions
    ? readEntryOptions(config, params)
    : readPromptOptions({ ...params, model });
  const chosen = await chooseAipModel(options, found);
  try {
    await resolveModel(chosen?.model ?? model);
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    const message = describeUnusableModel({ name: found.name, model }, error);
    throw new CadreError(error.code, message, { cause: error });
  }
}

/** Reports whether this problem prevents a pipeline from starting. */
export function isBlocking({ severity, code }: Diagnostic): boolean {
  return severity === "error" || code === "not-trusted";
}

/** Built-in agents have their names from pro@coder. */
function adviseBuiltin(name: string): string | null {
  const [, own] = /^pro@coder\/(auto-context|code-map)(?:\.aip)?$/.exec(name) ?? [];
  return own === undefined ? null : `Write \`${own}\`: Cadre includes an agent of that name.`;
}
