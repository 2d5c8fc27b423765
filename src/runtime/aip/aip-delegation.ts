import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { AipOptions } from "../../aip/document/aip-options.ts";
import type { AipAgentCall, AipResponse } from "../../aip/location/aip-port.ts";
import { type ChildRun, type ChildServices, runChild } from "../../delegate/start/run-child.ts";
import type { Assignment, Origin } from "../../delegate/assignment.ts";
import { assignAgent, type AssignmentSource } from "../../delegate/request/to-assignment.ts";
import type { InternalContext } from "../../engine/program/internal-context.ts";
import { mapInOrder } from "../../pipeline/map-in-order.ts";
import type { RecordedResult } from "../../run/result.ts";
import { isRecord, type JsonValue } from "../../source/json.ts";
import { checkScriptModel } from "./aip-ask.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { onFirstUse } from "../../on-first-use.ts";
import { errorMessage } from "../../error-message.ts";

/** The services behind `aip.agent.run`. */
export interface AipDelegation extends ChildServices {
  assignments: AssignmentSource;
  /** Finds the agent that a script names: a file below the script's folder, an agent of a pack, or any other agent. */
  findAipTarget: (reference: string, from: string) => Promise<AgentDefinition>;
}

/** Runs another agent for a script and waits for it: an `.aip` agent once with all inputs, others once per input. */
export async function runForAip(
  services: AipDelegation,
  context: InternalContext,
  call: AipAgentCall,
  key: string,
): Promise<AipResponse> {
  const { reference, from, inputs, options } = call;
  const find = onFirstUse(() => services.findAipTarget(reference, from));
  // No lookup is needed when the run already exists.
  const { source } = await find();
  if (agentKindOf(source).takesSeveralInputs) {
    const assign = async (): Promise<Assignment> => assignAip(await find(), call);
    return toResponse(await runOne(services, context, { key, assign }));
  }
  const outputs = await mapInOrder(inputs ?? [null], options.input_concurrency ?? 1, {
    work: async (input, index) => {
      const assign = async (origin: Origin): Promise<Assignment> =>
        await assignOther(services, await find(), { input, options, origin });
      const child = { key: `${key}/${index}`, assign };
      return await attempt(options, async () => outputOf(await runOne(services, context, child)));
    },
    isLast: () => false,
  });
  return { outputs, after_all: null };
}

async function runOne(
  services: AipDelegation,
  context: InternalContext,
  child: ChildRun,
): Promise<RecordedResult> {
  const result = await runChild(services, context, child);
  if (result.failure === undefined) return result;
  throw new Error(result.failure.message);
}

function assignAip(definition: AgentDefinition, { inputs, options }: AipAgentCall): Assignment {
  const [first] = inputs ?? [];
  const task = first === undefined ? "" : typeof first === "string" ? first : JSON.stringify(first);
  return {
    definition,
    task: task.trim() === "" ? `Run ${definition.name}.` : task,
    ...omitUndefined({ inputs }),
    options,
    reportsRedo: true,
    background: false,
  };
}

async function assignOther(
  { assignments }: AipDelegation,
  definition: AgentDefinition,
  { input, options, origin }: { input: JsonValue; options: AipOptions; origin: Origin },
): Promise<Assignment> {
  const { model, effort } = (await assignments.chooseAipModel(options)) ?? {};
  if (model !== undefined) checkScriptModel(origin.spec, model);
  const { temperature } = options;
  const given =
    input === null
      ? { task: `Do what your instructions say.` }
      : typeof input === "string"
        ? { task: input }
        : { input };
  const delegation = {
    agent: definition.name,
    ...given,
    background: false,
    ...omitUndefined({ model, temperature }),
  };
  const assignment = await assignAgent(assignments, definition, { delegation, origin });
  return { ...assignment, ...omitUndefined({ effort }) };
}

/** The first failure ends the call, unless the caller accepts failures as outputs. */
async function attempt(options: AipOptions, work: () => Promise<JsonValue>): Promise<JsonValue> {
  try {
    return await work();
  } catch (error) {
    if (options.allow_run_on_task_fail !== true) throw error;
    return { error: errorMessage(error) };
  }
}

function outputOf({ text, output }: RecordedResult): JsonValue {
  return output ?? text;
}

/** Reads the recorded output of another `.aip` run. */
function toResponse({ output }: RecordedResult): AipResponse {
  const {
    outputs = [],
    after_all: afterAll = null,
    redo_requested: isRedo = false,
  } = (isRecord(output) ? output : {}) as Partial<AipResponse>;
  return { outputs, after_all: afterAll, ...(isRedo && { redo_requested: true }) };
}
