import type { AgentDefinition } from "../../agent/agent.ts";
import type { AipModel } from "../../aip/aip-options.ts";
import { isFileModel } from "../../delegate/choose-model.ts";
import type { Assignment } from "../../delegate/delegation.ts";
import type { AgentRequest, AssignmentSource } from "../../delegate/to-assignment.ts";
import type { Session } from "../../engine/session.ts";
import { CadreError } from "../../errors.ts";
import { readAgentOptions } from "../../pipeline/agent/options.ts";
import type { SubAgentInput } from "../../pipeline/contract.ts";
import type { AgentConfig } from "../../pipeline/entry.ts";
import type { Delegation } from "../../run/delegation.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import { readEntryOptions, readPromptOptions } from "../aip/aip-model-choice.ts";
import { askSubAgent } from "../sub-agent-request.ts";

/** What a pipeline asks of a child. */
export type ChildRequest = Omit<AgentRequest, "origin"> & Pick<Assignment, "effort">;

/** The run of a pipeline, and what its requests are made with. */
export interface RequestPlace {
  session: Pick<Session, "spec" | "definition">;
  assignments: Pick<AssignmentSource, "chooseAipModel">;
  /** @throws CadreError `not-trusted` for a model that a file must not name. */
  checkModel: (asked: Pick<AgentDefinition, "model" | "source">) => void;
}

/** The request for a sub-agent, with the model that its entry names. */
export async function requestSubAgent(
  place: RequestPlace,
  found: AgentDefinition,
  { config, input }: { config: AgentConfig; input: SubAgentInput },
): Promise<ChildRequest> {
  const delegation = askSubAgent(found, config, await fillBuiltin(place, found, input));
  const { model } = delegation;
  const { coder_params: params } = input;
  if (model !== undefined) checkAsked(place, model);
  if (found.source.format === "aip") {
    return { delegation, options: readEntryOptions(config, params) };
  }
  if (model === undefined) return { delegation };
  const options = readPromptOptions({ ...params, model });
  return withModel(delegation, await place.assignments.chooseAipModel(options));
}

/** A built-in program asks the model that it finds in its options: it is given the one that AIPack's name stands for. */
async function fillBuiltin(
  { assignments }: RequestPlace,
  { name, source }: AgentDefinition,
  input: SubAgentInput,
): Promise<SubAgentInput> {
  const { agent_config: config, coder_params: params } = input;
  if (source.scope !== "builtin" || source.format !== "program") return input;
  const { model } = readAgentOptions(input, name.replaceAll("-", "_"));
  if (typeof model !== "string") return input;
  const chosen = await assignments.chooseAipModel(readPromptOptions({ ...params, model }));
  if (chosen === undefined) return input;
  const options = { ...config.options, model: chosen.model };
  return { ...input, agent_config: { ...config, options } };
}

/** The request for the coder, with the model that the parameters name. */
export async function requestCoder(
  place: RequestPlace,
  delegation: Delegation,
  params: JsonObject,
): Promise<ChildRequest> {
  const { spec, definition } = place.session;
  const chosen = await place.assignments.chooseAipModel(readPromptOptions(params));
  if (chosen === undefined) return { delegation };
  // What the prompt file itself says was resolved when the run was created; agents may have changed it since.
  const isUnchanged = params["model"] === definition.prompt?.params["model"];
  const model = isUnchanged ? spec.model : chosen.model;
  if (model === null) return { delegation };
  checkAsked(place, model);
  return withModel(delegation, { ...chosen, model });
}

/** A sub-agent may hand on a model of a file that the prompt file names, but not think of one. */
function checkAsked({ session, checkModel }: RequestPlace, asked: string): void {
  const { spec, definition } = session;
  if (asked === spec.model) return;
  checkModel({ model: asked, source: definition.source });
  if (!isFileModel(asked) || says(definition.prompt?.params ?? null, asked)) return;
  const message = `Expected a provider's model, got ${asked}: it names a file, which sub-agents must not choose.`;
  throw new CadreError("invalid-argument", message);
}

/** Whether a text is among the values of `params`, however deep. */
function says(params: JsonValue, text: string): boolean {
  if (typeof params !== "object" || params === null) return params === text;
  return Object.values(params).some((value) => says(value, text));
}

function withModel(delegation: Delegation, chosen: AipModel | undefined): ChildRequest {
  if (chosen === undefined) return { delegation };
  const { model, effort } = chosen;
  return { delegation: { ...delegation, model }, ...(effort !== undefined && { effort }) };
}
