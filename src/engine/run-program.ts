import type { ProgramAgent, ProgramContext, ProgramOutput } from "../agent/program.ts";
import type { JsonValue } from "../source/json.ts";
import { isRecord } from "../source/json.ts";
import type { Conclusion, Session } from "./session.ts";
import { RunFailed } from "./to-failure.ts";

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
 * @throws RunFailed when it throws or returns something that is not text or JSON.
 */
export async function runProgram(
  session: Session,
  program: ProgramAgent,
  delegate: ProgramDelegate,
): Promise<Conclusion> {
  const { spec } = session;
  try {
    const output = await program.run({ task: spec.task }, createContext(session, delegate));
    return conclude(spec.agent, output);
  } catch (error) {
    session.signal.throwIfAborted();
    if (error instanceof RunFailed) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new RunFailed({ code: "internal", message: `Agent ${spec.agent} threw: ${message}` });
  }
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
    async step(key, work) {
      if (used.has(key)) throw new Error(`the step key ${key} was used before in this run`);
      used.add(key);
      const step = { key: `program/${key}`, kind: "note", title: key, hasEffect: false } as const;
      return await steps.do(step, async () => ({ value: await work() }));
    },
    async delegate(request) {
      delegations += 1;
      return await delegate(session, `delegate/${delegations}`, request);
    },
  };
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
  try {
    const text = JSON.stringify(value);
    if (text !== undefined) return JSON.parse(text) as JsonValue;
  } catch {
    // Said below.
  }
  const message = `Agent ${agent} returned an output that is not JSON (a cycle, a function or a BigInt in it?).`;
  throw new RunFailed({ code: "output-invalid", message });
}
