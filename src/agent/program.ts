import type { Delegation } from "../run/delegation.ts";
import type { RunResult } from "../run/result.ts";
import type { Usage } from "../run/usage.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";

/** What a program agent is called with: its task, and the fields of the input it was given. */
export type ProgramInput<Fields extends object = JsonObject> = Fields & {
  task: string;
  /** What its delegation and those of its ancestors shared; frozen. */
  sharedContext: Readonly<Record<string, JsonValue>>;
};

/** A question to a model, which has no tools for it. */
export interface ProgramQuestion {
  /** Absent = no instructions. */
  system?: string;
  prompt: string;
  /** `provider:model` or an alias. Absent = the run's, else the default. */
  model?: string;
  temperature?: number;
  /** JSON Schema of the answer, which then is `output`; the model gets two rounds of corrections. */
  outputSchema?: JsonObject;
}

/** What a model answered. */
export interface ProgramAnswer {
  text: string;
  /** With an `outputSchema`. */
  output?: JsonValue;
  /** Of all rounds. */
  usage: Usage;
  /** US dollars; `null` when a price is unknown. */
  cost: number | null;
}

/** What makes a step of a program the same one when it is executed again. */
export interface ProgramStepOptions {
  /** Unique among its kind within the run. Absent = the number of the call, which has to be the same in a resumed run. */
  key?: string;
}

/** What a program agent can do besides computing. */
export interface ProgramContext {
  runId: string;
  agent: string;
  /** The workspace, absolute. */
  cwd: string;
  /** A folder of the agent's own that outlives its runs, absolute; it may have to be made. Runs may share it. */
  stateFolder: string;
  /** Aborted when the run is cancelled or its time is up. */
  signal: AbortSignal;
  /** Says what it is doing: shown in the tree, and the first 1,000 of a run are kept in its journal. */
  log(message: string): void;
  /** Says how far it is; shown, and not kept. Without a `total` it is only a count. */
  progress(done: number, total?: number): void;
  /** Emits a namespaced event, such as `my-agent::end`; it comes before those in `emit_events`. Only pipelines dispatch events. */
  emit(event: string): void;
  /** Runs `work` once: after a resume the recorded value is returned instead. `key` is unique within the run. */
  step<Value extends JsonValue>(key: string, work: () => Value | Promise<Value>): Promise<Value>;
  /**
   * Delegates to another agent and waits for its result, which is data also when it failed. Rejects when no run could be
   * created.
   */
  delegate(
    request: Omit<Delegation, "background">,
    options?: ProgramStepOptions,
  ): Promise<RunResult>;
  /** Asks a model once, within the budget of the run; after a resume the recorded answer is returned instead. */
  ask(question: ProgramQuestion, options?: ProgramStepOptions): Promise<ProgramAnswer>;
}

/**
 * What a program agent returns: its text; its text and a structured output; or a table of any other fields, which is its
 * output. Nothing is a success without either.
 */
export type ProgramOutput =
  | string
  | { text?: string; output?: JsonValue }
  | { [field: string]: unknown }
  | null
  | undefined
  | void;

/** An agent written as a function. The default export of `.cadre/agents/**.{ts,mts,js,mjs}`. */
export interface ProgramAgent<Fields extends object = JsonObject> {
  name: string;
  description: string;
  /** Default 300. */
  timeoutSeconds?: number;
  maxDepth?: number;
  agents?: readonly string[];
  /** JSON Schema that its input must fit: the `input` of the delegation, else its task, which has to be JSON then. */
  inputSchema?: JsonObject;
  outputSchema?: JsonObject;
  // A method, so that an agent with an input of its own is an agent like any other.
  run(
    input: ProgramInput<Fields>,
    context: ProgramContext,
  ): ProgramOutput | object | Promise<ProgramOutput | object>;
}

/** Declares a program agent; returns it unchanged, for its types. `Fields` are those of its input, such as `SubAgentInput`. */
export function defineAgent<Fields extends object = JsonObject>(
  agent: ProgramAgent<Fields>,
): ProgramAgent<Fields> {
  return agent;
}
