import { join } from "node:path";
import type { ProgramContext } from "../../agent/program/program.ts";
import type { RunSpec } from "../../run/run.ts";
import type { JsonValue } from "../../source/json.ts";
import { toPlainValue } from "../../source/plain-value.ts";
import type { AskServices } from "../loop/ask-once.ts";
import { askForProgram } from "./program-ask.ts";
import type { RunContext } from "../run-context/run-context.ts";

/** Starts a child of a run and waits for its result; see `ProgramContext.delegate`. */
export type ProgramDelegate = (
  parent: RunSpec,
  stepKey: string,
  request: Parameters<ProgramContext["delegate"]>[0],
) => ReturnType<ProgramContext["delegate"]>;

/** The engine's services for programs. */
export interface ProgramServices extends AskServices {
  delegate: ProgramDelegate;
  /** Contains a state folder for each agent that uses one. */
  agentFolders: string;
}

/** The maximum number of log messages of a run in its journal, and their maximum length in characters. */
const maxLogs = 1000;
const maxLogLength = 10_000;
/** The maximum size of a step's value. Larger values belong in files. */
const maxStepCharacters = 64 * 1024 * 1024;

/** Creates the context of a program. `emit` receives its events. */
export function createProgramContext(
  run: RunContext,
  services: ProgramServices,
  emit: (event: string) => void,
): ProgramContext {
  const { spec, signal } = run;
  const keyOf = createKeys(run.prefix);

  return {
    runId: spec.id,
    agent: spec.agent,
    cwd: spec.workspace,
    stateFolder: join(services.agentFolders, spec.agent.replaceAll(/[^\w.-]+/g, "-")),
    signal,
    log: createLog(run),
    progress(done, total) {
      run.report({
        type: "progress",
        text: total === undefined ? `${done}` : `${done} of ${total}`,
      });
    },
    emit(event) {
      if (typeof event !== "string") {
        throw new TypeError(`emit expects the name of an event, got ${typeof event}`);
      }
      emit(event);
    },
    step: (key, work) => forgivable(doStep(run, keyOf, { key, work })),
    delegate: (request, options) =>
      forgivable(
        act(run, () =>
          run.waitFor(services.delegate(spec, keyOf("delegate", options?.key), request)),
        ),
      ),
    ask: (question, options) =>
      forgivable(
        act(run, () => askForProgram(services, run, question, keyOf("ask", options?.key))),
      ),
  };
}

async function act<Value>({ signal }: RunContext, work: () => Promise<Value>): Promise<Value> {
  signal.throwIfAborted();
  return await work();
}

async function doStep<Value extends JsonValue>(
  { steps, signal, registry }: RunContext,
  keyOf: KeyOf,
  { key, work }: { key: string; work: () => Value | Promise<Value> },
): Promise<Value> {
  signal.throwIfAborted();
  const step = { key: keyOf("program", key), kind: "note", mayWrite: true } as const;
  const value = await steps.do(step, async () => ({ value: asStored(key, await work()) }));
  // The program may act on the value in ways that the engine cannot see.
  await registry.flushed();
  return value;
}

type KeyOf = (kind: string, key: string | undefined) => string;

/** Creates step keys: given keys, or numbers that count the calls of a kind. */
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

function createLog({ registry, steps, spec, prefix, signal, report }: RunContext) {
  let count = 0;
  return (message: unknown): void => {
    // Programs may be plain JavaScript.
    const line = typeof message === "string" ? message : (JSON.stringify(message) ?? "");
    const text = line.slice(0, maxLogLength).toWellFormed();
    report({ type: "progress", text });
    count += 1;
    const key = `${prefix}log/${count}`;
    if (count > maxLogs || signal.aborted || steps.isRecorded(key)) return;
    const entry = { type: "step-finished", key, kind: "note", value: text, durationMs: 0 } as const;
    registry.append(spec.id, entry);
  };
}

/** Prevents a rejection that the program does not await from ending the process. */
function forgivable<Value>(work: Promise<Value>): Promise<Value> {
  work.catch(() => undefined);
  return work;
}

/**
 * Returns the value as a resumed run would read it. A first execution thus never sees a date or a map where a resumed one sees
 * JSON.
 */
function asStored<Value>(key: string, value: Value): Value {
  // `undefined` stays `undefined`.
  if (value === undefined) return value;
  const stored = storable(value);
  if (stored !== undefined) return stored as Value;
  const plain = toPlainValue(value, maxStepCharacters, "value");
  const why = "problem" in plain ? plain.problem : "the value has no JSON form";
  throw new Error(`the step ${key} returned a value that is not JSON (${why})`);
}

function storable(value: unknown): JsonValue | undefined {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  } catch {
    return undefined;
  }
}
