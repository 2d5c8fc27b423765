import { join } from "node:path";
import type { ProgramContext } from "../agent/program.ts";
import type { JsonValue } from "../source/json.ts";
import { toPlainValue } from "../source/plain-value.ts";
import type { AskServices } from "./ask-once.ts";
import { askForProgram } from "./program-ask.ts";
import type { Session } from "./session.ts";

/** Starts another run for a run and waits for its result; see `ProgramContext.delegate`. */
export type ProgramDelegate = (
  session: Session,
  stepKey: string,
  request: Parameters<ProgramContext["delegate"]>[0],
) => ReturnType<ProgramContext["delegate"]>;

/** What programs get from the engine. */
export interface ProgramServices extends AskServices {
  delegate: ProgramDelegate;
  /** Holds a folder for each agent that wants one. */
  agentFolders: string;
}

/** What of a run's log its journal keeps: so many messages, of so many characters. */
const mostLogs = 1000;
const longestLog = 10_000;
/** Larger steps are files. */
const maxStepCharacters = 64 * 1024 * 1024;

/** What the program of a run can do; `emit` takes its events. */
export function createProgramContext(
  session: Session,
  services: ProgramServices,
  emit: (event: string) => void,
): ProgramContext {
  const { spec, signal } = session;
  const keyOf = createKeys(session.prefix);

  return {
    runId: spec.id,
    agent: spec.agent,
    cwd: spec.workspace,
    stateFolder: join(services.agentFolders, spec.agent.replaceAll(/[^\w.-]+/g, "-")),
    signal,
    log: createLog(session),
    progress(done, total) {
      session.report("progress", total === undefined ? `${done}` : `${done} of ${total}`);
    },
    emit(event) {
      if (typeof event !== "string") {
        throw new TypeError(`emit expects the name of an event, got ${typeof event}`);
      }
      emit(event);
    },
    step: (key, work) => forgivable(doStep(session, keyOf, { key, work })),
    delegate: (request, options) =>
      forgivable(
        act(session, () => services.delegate(session, keyOf("delegate", options?.key), request)),
      ),
    ask: (question, options) =>
      forgivable(
        act(session, () => askForProgram(services, session, question, keyOf("ask", options?.key))),
      ),
  };
}

async function act<Value>({ signal }: Session, work: () => Promise<Value>): Promise<Value> {
  signal.throwIfAborted();
  return await work();
}

async function doStep<Value extends JsonValue>(
  { steps, signal, registry }: Session,
  keyOf: KeyOf,
  { key, work }: { key: string; work: () => Value | Promise<Value> },
): Promise<Value> {
  signal.throwIfAborted();
  const step = { key: keyOf("program", key), kind: "note" } as const;
  const value = await steps.do(step, async () => ({ value: asStored(key, await work()) }));
  // The program may act upon it in ways nobody here sees.
  await registry.flushed();
  return value;
}

type KeyOf = (kind: string, key: string | undefined) => string;

/** Keys of one kind are given, or else count the calls. */
function createKeys(prefix: string): KeyOf {
  const used = new Set<string>();
  const counts = new Map<string, number>();
  return (kind, key) => {
    const count = (counts.get(kind) ?? 0) + 1;
    if (key === undefined) counts.set(kind, count);
    const full = `${prefix}${kind}/${key ?? count}`;
    if (used.has(full)) throw new Error(`the step key ${key} was used before in this run`);
    used.add(full);
    return full;
  };
}

function createLog({ registry, steps, spec, prefix, signal, report }: Session) {
  let count = 0;
  return (message: unknown): void => {
    // Not every program is checked by a compiler.
    const said = typeof message === "string" ? message : (JSON.stringify(message) ?? "");
    const text = said.slice(0, longestLog).toWellFormed();
    report("progress", text);
    count += 1;
    const key = `${prefix}log/${count}`;
    if (count > mostLogs || signal.aborted || steps.isRecorded(key)) return;
    const entry = { type: "step-finished", key, kind: "note", value: text, durationMs: 0 } as const;
    registry.append(spec.id, entry);
  };
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
  if (stored !== undefined) return stored as Value;
  const plain = toPlainValue(value, maxStepCharacters, "value");
  const why = "problem" in plain ? plain.problem : "it says nothing";
  throw new Error(`the step ${key} returned not JSON (${why})`);
}

function storable(value: unknown): JsonValue | undefined {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  } catch {
    return undefined;
  }
}
