import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { ProgramAgent, ProgramContext, ProgramInput } from "../../agent/program/program.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunSpec } from "../../run/run.ts";
import type { JsonValue } from "../../source/json.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { type Answer, askOnce, type AskServices, type SingleRequest } from "../loop/ask-once.ts";
import type { Conclusion, RunContext } from "../run-context/run-context.ts";
import { type PermissionCheck, refuseForeignCall } from "../tool-call/check-permission.ts";
import { type NotePermission, takeToolStep } from "../tool-call/tool-step.ts";

/** A program as the engine executes it. */
export interface InternalProgram {
  run(input: ProgramInput, context: InternalContext): ReturnType<ProgramAgent["run"]>;
}

/** A call of a program that needs permission. The rules of its tool apply. */
export interface InternalCall extends Pick<PermissionCheck, "key" | "tool" | "call"> {
  input: JsonValue;
  /** Repeating the call could do harm, so a resume reports it as interrupted. */
  hasEffect: boolean;
}

/**
 * The functions of a run for programs that are part of Cadre: graphs, pipelines and `.aip` agents. Step keys are unique within
 * the run and the same in every execution of it.
 */
export interface InternalContext {
  /** The context for users' programs. */
  program: ProgramContext;
  spec: RunSpec;
  definition: AgentDefinition;
  /** Reads runs and their journals. */
  registry: Pick<Registry, "run" | "family" | "events">;
  /** The folder of the run's long outputs; absolute. */
  outputFolder: string;
  /** Aborted with a `Stop` when the run must end. */
  signal: AbortSignal;
  /** Returns the key of a step in the journal, which has a prefix in a repeated attempt. Other functions add it themselves. */
  toFullKey(key: string): string;
  /** Reports whether an earlier execution recorded a value for the step. */
  isRecorded(key: string): boolean;
  /** Does `work` once and records its value, which a resumed run returns. */
  record<Value>(key: string, work: () => Promise<Value>): Promise<Value>;
  /** Performs a call once, with permission and budget; see {@link takeToolStep}. */
  call(call: InternalCall, perform: () => Promise<ToolOutcome>): Promise<ToolOutcome>;
  /** Asks a model once, within the budget of the run; see {@link askOnce}. */
  ask(question: SingleRequest, key: string): Promise<Answer>;
  /** Waits for other runs. Meanwhile the run has no slot, and its silence does not count as a stall. */
  waitFor<Value>(work: Promise<Value>): Promise<Value>;
  /** Waits for `work`, which may be silent for at least `quietMs` milliseconds. */
  allowSilence<Value>(quietMs: number, work: Promise<Value>): Promise<Value>;
  /** Records a sign of life of the run. */
  heartbeat(): void;
  /** Adds a warning to the result. */
  warn(warning: string): void;
  /** Stores the output so far, which the run keeps if it fails or is stopped. */
  keep(output: Conclusion): void;
}

/** Converts a user's program to an executable one. It gets only the public context. */
export function toInternalProgram(program: Pick<ProgramAgent, "run">): InternalProgram {
  return { run: (input, context) => program.run(input, context.program) };
}

/** Creates the context of a program that is part of Cadre. `program` is its public context. */
export function createInternalContext(
  run: RunContext,
  services: AskServices,
  program: ProgramContext,
): InternalContext {
  const { spec, definition, registry, outputFolder, signal, steps, watchdog } = run;
  const toFullKey = (key: string): string => `${run.prefix}${key}`;
  return {
    program,
    spec,
    definition,
    registry,
    outputFolder,
    signal,
    toFullKey,
    isRecorded: (key) => steps.isRecorded(toFullKey(key)),
    record: (key, work) =>
      steps.do({ key: toFullKey(key), kind: "note" }, async () => ({ value: await work() })),
    call({ hasEffect, ...call }, perform) {
      const key = toFullKey(call.key);
      const refuse = (note: NotePermission): Promise<string | undefined> =>
        refuseForeignCall(run, { ...call, key, note });
      const { title } = call.call;
      const made = { tool: call.tool.name, input: call.input };
      return takeToolStep(run, { key, title, hasEffect, refuse, call: made }, perform);
    },
    ask: (question, key) => askOnce(services, run, question, toFullKey(key)),
    waitFor: (work) => run.waitFor(work),
    allowSilence: (quietMs, work) => watchdog.allowSilence(quietMs, work),
    heartbeat: () => watchdog.heartbeat(),
    warn: (warning) => void run.warnings.add(warning),
    keep: (output) => void Object.assign(run.conclusion, output),
  };
}
