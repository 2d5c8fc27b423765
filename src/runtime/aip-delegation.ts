import type { AgentDefinition } from "../agent/agent.ts";
import type { AipOptions } from "../aip/aip-options.ts";
import type { AipAgentCall, AipResponse } from "../aip/aip-port.ts";
import type { Delegate } from "../delegate/delegate.ts";
import type { Assignment } from "../delegate/delegation.ts";
import { assignAgent, type AssignmentSource } from "../delegate/to-assignment.ts";
import type { Engine } from "../engine/engine.ts";
import type { Session } from "../engine/session.ts";
import { mapInOrder } from "../pipeline/map-in-order.ts";
import type { RunResult } from "../run/result.ts";
import { isRecord, type JsonValue } from "../source/json.ts";
import { checkScriptModel } from "./aip-ask.ts";

/** What `aip.agent.run` delegates with. */
export interface AipDelegation {
  delegate: Delegate;
  engine: Pick<Engine, "result">;
  assignments: AssignmentSource;
  /** The agent that a script means: a file from the folder of the script, a pack's, or the name of any agent. */
  findAipTarget: (reference: string, from: string) => Promise<AgentDefinition>;
}

/** Runs another agent for a script and waits for it: an `.aip` agent once with all inputs, any other once for each. */
export async function runForAip(
  services: AipDelegation,
  session: Session,
  call: AipAgentCall,
  key: string,
): Promise<AipResponse> {
  const { reference, from, inputs, options } = call;
  const find = memoize(() => services.findAipTarget(reference, from));
  // It is known without looking when the run is there already; then it is not looked up again.
  const { source } = await find();
  if (source.format === "aip") {
    const result = await runOne(services, session, key, async () => assignAip(await find(), call));
    return toResponse(result);
  }
  const outputs = await mapInOrder(inputs ?? [null], options.input_concurrency ?? 1, {
    work: async (input, index) => {
      const assign = async (): Promise<Assignment> =>
        await assignOther(services, session, await find(), { input, options });
      return await attempt(options, async () =>
        outputOf(await runOne(services, session, `${key}/${index}`, assign)),
      );
    },
    isLast: () => false,
  });
  return { outputs, after_all: null };
}

function memoize<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => (value ??= work());
}

async function runOne(
  { delegate, engine }: AipDelegation,
  session: Session,
  stepKey: string,
  assign: () => Promise<Assignment>,
): Promise<RunResult> {
  const { spec, slot, watchdog, signal } = session;
  signal.throwIfAborted();
  const origin = { spec, stepKey, toolNames: spec.parentTools };
  const id = await delegate.assign(assign, origin);
  const result = await watchdog.trustWhile(slot.yieldWhile(engine.result(id)));
  signal.throwIfAborted();
  if (result.failure === undefined) return result;
  throw new Error(result.failure.message);
}

function assignAip(definition: AgentDefinition, { inputs, options }: AipAgentCall): Assignment {
  const [first] = inputs ?? [];
  const task = first === undefined ? "" : typeof first === "string" ? first : JSON.stringify(first);
  return {
    definition,
    task: task.trim() === "" ? `Run ${definition.name}.` : task,
    ...(inputs !== undefined && { inputs }),
    options,
    reportsRedo: true,
    background: false,
  };
}

async function assignOther(
  { assignments }: AipDelegation,
  { spec }: Session,
  definition: AgentDefinition,
  { input, options }: { input: JsonValue; options: AipOptions },
): Promise<Assignment> {
  const { model, effort } = (await assignments.chooseAipModel(options)) ?? {};
  if (model !== undefined) checkScriptModel(spec, model);
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
    ...(model !== undefined && { model }),
    ...(temperature !== undefined && { temperature }),
  };
  const origin = { spec, stepKey: "", toolNames: spec.parentTools };
  const assignment = await assignAgent(assignments, definition, { delegation, origin });
  return { ...assignment, ...(effort !== undefined && { effort }) };
}

/** The first failure ends the call, unless the caller wants it as an output. */
async function attempt(options: AipOptions, work: () => Promise<JsonValue>): Promise<JsonValue> {
  try {
    return await work();
  } catch (error) {
    if (options.allow_run_on_task_fail !== true) throw error;
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function outputOf({ text, output }: RunResult): JsonValue {
  return output ?? text;
}

/** What another run of an `.aip` agent recorded as its output. */
function toResponse({ output }: RunResult): AipResponse {
  const {
    outputs = [],
    after_all: afterAll = null,
    redo_requested: isRedo = false,
  } = (isRecord(output) ? output : {}) as Partial<AipResponse>;
  return { outputs, after_all: afterAll, ...(isRedo && { redo_requested: true }) };
}
