import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { AipModel } from "../../aip/document/aip-options.ts";
import { isFileModel } from "../../delegate/settings/choose-model.ts";
import type { Assignment } from "../../delegate/assignment.ts";
import type { AgentRequest, AssignmentSource } from "../../delegate/request/to-assignment.ts";
import type { InternalContext } from "../../engine/program/internal-context.ts";
import { CadreError } from "../../errors.ts";
import type { SubAgentInput } from "../../pipeline/sub-agent/contract.ts";
import type { AgentConfig } from "../../pipeline/prompt-file/entry.ts";
import type { Delegation } from "../../run/delegation.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import { readEntryOptions, readPromptOptions } from "../aip/aip-model-choice.ts";
import { findEntryModel, isBuiltinProgram } from "./entry-model.ts";
import { askSubAgent } from "./sub-agent-request.ts";

/** A pipeline's request for a child. */
export type ChildRequest = Omit<AgentRequest, "origin"> & Pick<Assignment, "effort">;

/** The run of a pipeline and the services for its requests. */
export interface ChildRequestContext {
  run: Pick<InternalContext, "spec" | "definition">;
  assignments: Pick<AssignmentSource, "chooseAipModel">;
  /** @throws CadreError `not-trusted` for a model that a file must not name. */
  checkModel: (asked: Pick<AgentDefinition, "model" | "source">) => void;
}

/** Builds the request for a sub-agent, with the model of its entry. */
export async function requestSubAgent(
  context: ChildRequestContext,
  found: AgentDefinition,
  { config, input }: { config: AgentConfig; input: SubAgentInput },
): Promise<ChildRequest> {
  const { coder_params: params } = input;
  const model = findEntryModel(found, config, params);
  if (model !== undefined) checkAsked(context, model);
  if (agentKindOf(found.source).takesAipOptions) {
    return {
      delegation: askSubAgent(found, config, input),
      options: readEntryOptions(config, params),
    };
  }
  if (model === undefined) return { delegation: askSubAgent(found, config, input) };
  const options = readPromptOptions({ ...params, model });
  const chosen = await context.assignments.chooseAipModel(options);
  if (chosen === undefined || !isBuiltinProgram(found)) {
    return withModel(askSubAgent(found, config, input), chosen);
  }
  // The program asks the model in its options.
  const { model: id, ...effort } = chosen;
  const filled = { ...config, options: { ...config.options, model: id } };
  return { delegation: askSubAgent(found, filled, { ...input, agent_config: filled }), ...effort };
}

/** Builds the request for the coder, with the model of the parameters. */
export async function requestCoder(
  context: ChildRequestContext,
  delegation: Delegation,
  params: JsonObject,
): Promise<ChildRequest> {
  const { spec, definition } = context.run;
  const chosen = await context.assignments.chooseAipModel(readPromptOptions(params));
  if (chosen === undefined) return { delegation };
  // The prompt file's own model is already resolved. Agents may have changed the parameters since.
  const isUnchanged = params["model"] === definition.prompt?.params["model"];
  const model = isUnchanged ? spec.model : chosen.model;
  if (model === null) return { delegation };
  checkAsked(context, model);
  return withModel(delegation, { ...chosen, model });
}

/** Allows a model that reads or writes a file only if the prompt file names it: a sub-agent cannot introduce one. */
function checkAsked({ run, checkModel }: ChildRequestContext, asked: string): void {
  const { spec, definition } = run;
  if (asked === spec.model) return;
  checkModel({ model: asked, source: definition.source });
  if (!isFileModel(asked) || says(definition.prompt?.params ?? null, asked)) return;
  const message = `Expected a provider's model, got ${asked}: it names a file, which sub-agents must not choose.`;
  throw new CadreError("invalid-argument", message);
}

/** Reports whether `params` contains the text at any depth. */
function says(params: JsonValue, text: string): boolean {
  if (typeof params !== "object" || params === null) return params === text;
  return Object.values(params).some((value) => says(value, text));
}

function withModel(delegation: Delegation, chosen: AipModel | undefined): ChildRequest {
  if (chosen === undefined) return { delegation };
  const { model, ...effort } = chosen;
  return { delegation: { ...delegation, model }, ...effort };
}
