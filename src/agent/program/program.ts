// Agents that are TypeScript programs: their definition, context and loading.

import type { Delegation } from "../../run/delegation.ts";
import type { RunResult } from "../../run/result.ts";
import type { Usage } from "../../run/usage.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";

/** The input of a program agent: its task, and the fields in the delegation's input. */
export type ProgramInput<Fields extends object = JsonObject> = Fields & {
  task: string;
  /** The shared context of the delegation and its ancestors; frozen. */
  sharedContext: Readonly<Record<string, JsonValue>>;
};

/** A request to a model without tools. */
export interface ProgramQuestion {
  /** Absent = no instructions. */
  system?: string;
  prompt: string;
  /** `provider:model` or an alias. Absent = the run's model, otherwise the default. */
  model?: string;
  temperature?: number;
  /** JSON Schema of the answer, which is returned as `output`. The model gets two attempts to correct an invalid answer. */
  outputSchema?: JsonObject;
}

/** The answer of a model. */
export interface ProgramAnswer {
  text: string;
  /** Present with an `outputSchema`. */
  output?: JsonValue;
  /** The usage of all attempts. */
  usage: Usage;
  /** US dollars; `null` when a price is unknown. */
  cost: number | null;
}

/** Identifies a step when the program is executed again. */
export interface ProgramStepOptions {
  /**
   * Unique among the steps of its kind within the run. Absent = the number of the call, which must be the same in a
   * resumed run.
   */
  key?: string;
}

/** The functions of a program agent's run. */
export interface ProgramContext {
  runId: string;
  agent: string;
  /** The workspace, absolute. */
  cwd: string;
  /** The agent's state folder, absolute. It outlives runs, several runs may share it, and it may not exist yet. */
  stateFolder: string;
  /** Aborted when the run is cancelled or exceeds its time. */
  signal: AbortSignal;
  /** Logs a message, which is shown in the tree. The journal keeps the first 1,000 messages of a run. */
  log(message: string): void;
  /** Reports progress, which is shown but not stored. Without a `total` it is a count. */
  progress(done: number, total?: number): void;
  /** Emits a namespaced event, such as `my-agent::end`, before those in `emit_events`. Only pipelines dispatch events. */
  emit(event: string): void;
  /** Runs `work` once and records its value, which a resumed run returns. `key` is unique within the run. */
  step<Value extends JsonValue>(key: string, work: () => Value | Promise<Value>): Promise<Value>;
  /**
   * Delegates to another agent and waits for its result. The result of a failed run also resolves. Rejects if no run could be
   * created.
   */
  delegate(
    request: Omit<Delegation, "background">,
    options?: ProgramStepOptions,
  ): Promise<RunResult>;
  /** Asks a model once, within the budget of the run, and records the answer, which a resumed run returns. */
  ask(question: ProgramQuestion, options?: ProgramStepOptions): Promise<ProgramAnswer>;
}

/**
 * The result of a program agent: text, text with a structured output, or an object with other fields, which is the output.
 * Without a value, the run succeeds without text or output.
 */
export type ProgramOutput =
  | string
  | { text?: string; output?: JsonValue }
  | { [field: string]: unknown }
  | null
  | undefined
  | void;

/** An agent written as a function: the default export of `.cadre/agents/**.{ts,mts,js,mjs}`. */
export interface ProgramAgent<Fields extends object = JsonObject> {
  name: string;
  description: string;
  /** Default 300. */
  timeoutSeconds?: number;
  maxDepth?: number;
  agents?: readonly string[];
  /** JSON Schema of the input: the `input` of the delegation, otherwise its task, which must then be JSON. */
  inputSchema?: JsonObject;
  outputSchema?: JsonObject;
  // A method, so that an agent with its own fields is assignable to `ProgramAgent`.
  run(
    input: ProgramInput<Fields>,
    context: ProgramContext,
  ): ProgramOutput | object | Promise<ProgramOutput | object>;
}

/**
 * Declares a program agent and returns it unchanged, to give it its types. `Fields` are the fields of its input, such as
 * `SubAgentInput`.
 */
export function defineAgent<Fields extends object = JsonObject>(
  agent: ProgramAgent<Fields>,
): ProgramAgent<Fields> {
  return agent;
}
