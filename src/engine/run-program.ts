import type {
  ProgramAgent,
  ProgramContext,
  ProgramInput,
  ProgramOutput,
} from "../agent/program.ts";
import type { JsonValue } from "../source/json.ts";
import { isRecord } from "../source/json.ts";
import { prepareTask } from "./compose-task.ts";
import { freezeContext, readEffectiveContext } from "./effective-context.ts";
import type { Conclusion, Session } from "./session.ts";
import { requireOutput } from "./structured-output.ts";
import { messageOf, RunFailed } from "./to-failure.ts";

/** Starts another run for a run and waits for its result; see `ProgramContext.delegate`. */
export type ProgramDelegate = (
  session: Session,
  stepKey: string,
  request: Parameters<ProgramContext["delegate"]>[0],
) => ReturnType<ProgramContext["delegate"]>;

/**
 * Conducts a run of an agent that is a function. Its `step` and `delegate` calls are durable, so a resumed run repeats
 * only what lies between them.
 *
 * @throws RunFailed when it throws or returns something that is not text or JSON, or does not fit its output schema.
 */
export async function runProgram(
  session: Session,
  program: ProgramAgent,
  delegate: ProgramDelegate,
): Promise<Conclusion> {
  const { spec } = session;
  try {
    const output = await program.run(await prepareInput(session), createContext(session, delegate));
    const conclusion = conclude(spec.agent, output);
    if (spec.outputSchema !== undefined) requireOutput(conclusion, spec.outputSchema, spec.agent);
    return conclusion;
  } catch (error) {
    session.signal.throwIfAborted();
    if (error instanceof RunFailed) throw error;
    const message = `Agent ${spec.agent} threw: ${messageOf(error)}`;
    throw new RunFailed({ code: "internal", message });
  }
}

async function prepareInput(session: Session): Promise<ProgramInput> {
  const sharedContext = freezeContext(await readEffectiveContext(session.registry, session.spec));
  return { task: await prepareTask(session), sharedContext };
}

function createContext(session: Session, delegate: ProgramDelegate): ProgramContext {
  const { spec, steps, signal } = session;
  const used = new Set<string>();
  let delegations = 0;
  return {
    runId: spec.id,
    agent: spec.agent,
    cwd: spec.workspace,
    signal,
    log(message) {
      session.report("progress", message);
    },
    step: (key, work) => forgivable(doStep(key, work)),
    delegate(request) {
      delegations += 1;
      return forgivable(startChild(`${session.prefix}delegate/${delegations}`, request));
    },
  };

  async function doStep<Value extends JsonValue>(
    key: string,
    work: () => Value | Promise<Value>,
  ): Promise<Value> {
    signal.throwIfAborted();
    if (used.has(key)) throw new Error(`the step key ${key} was used before in this run`);
    used.add(key);
    const step = { key: `${session.prefix}program/${key}`, kind: "note" } as const;
    const value = await steps.do(step, async () => ({ value: asStored(key, await work()) }));
    // The program may act upon it in ways nobody here sees.
    await session.registry.flushed();
    return value;
  }

  async function startChild(
    stepKey: string,
    request: Parameters<ProgramContext["delegate"]>[0],
  ): ReturnType<ProgramContext["delegate"]> {
    signal.throwIfAborted();
    return await delegate(session, stepKey, request);
  }
}

/** Whoever waits sees the rejection; a program that did not wait must not end the process with it. */
function forgivable<Value>(work: Promise<Value>): Promise<Value> {
  work.catch(() => undefined);
  return work;
}

/** What a resumed run would get: the first one must not see a date or a map where that one sees JSON. */
function asStored<Value>(key: string, value: Value): Value {
  // Nothing stays nothing.
  if (value === undefined) return value;
  const stored = storable(value);
  if (stored === undefined) throw new Error(`the step ${key} returned ${notJson}`);
  return stored as Value;
}

function conclude(agent: string, output: ProgramOutput): Conclusion {
  if (typeof output === "string") return { text: output };
  if (isRecord(output) && (output.text === undefined || typeof output.text === "string")) {
    const { text = "" } = output;
    return output.output === undefined ? { text } : { text, output: toJson(agent, output.output) };
  }
  throw new RunFailed({
    code: "output-invalid",
    message: `Agent ${agent} returned ${output === null ? "null" : typeof output}; expected a text or { text?, output? }.`,
  });
}

function toJson(agent: string, value: unknown): JsonValue {
  const stored = storable(value);
  if (stored !== undefined) return stored;
  const message = `Agent ${agent} returned an output that is ${notJson}.`;
  throw new RunFailed({ code: "output-invalid", message });
}

const notJson = "not JSON (a cycle, a function or a BigInt in it?)";

function storable(value: unknown): JsonValue | undefined {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  } catch {
    return undefined;
  }
}
