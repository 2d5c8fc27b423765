import type { Delegation } from "../run/delegation.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";

/** What a program agent is called with. */
export interface ProgramInput {
  task: string;
  /** What its delegation and those of its ancestors shared; frozen. */
  sharedContext: Readonly<Record<string, JsonValue>>;
}

/** What a program agent can do besides computing. */
export interface ProgramContext {
  runId: string;
  agent: string;
  /** The workspace, absolute. */
  cwd: string;
  /** Aborted when the run is cancelled or its time is up. */
  signal: AbortSignal;
  /** Says what it is doing; shown in the tree and kept in the journal. */
  log(message: string): void;
  /** Runs `work` once: after a resume the recorded value is returned instead. `key` is unique within the run. */
  step<Value extends JsonValue>(key: string, work: () => Value | Promise<Value>): Promise<Value>;
  /** Delegates to another agent and waits for its result, which is data also when it failed. */
  delegate(request: Omit<Delegation, "background" | "detach">): Promise<{
    runId: string;
    status: string;
    text: string;
    failure?: { code: string; message: string };
  }>;
}

/** What a program agent returns: its text, or its text and a structured output. */
export type ProgramOutput = string | { text?: string; output?: JsonValue };

/** An agent written as a function. The default export of `.cadre/agents/**.{ts,mts,js,mjs}`. */
export interface ProgramAgent {
  name: string;
  description: string;
  /** Default 300. */
  timeoutSeconds?: number;
  maxDepth?: number;
  agents?: readonly string[];
  inputSchema?: JsonObject;
  outputSchema?: JsonObject;
  run(input: ProgramInput, context: ProgramContext): ProgramOutput | Promise<ProgramOutput>;
}

/** Declares a program agent; returns it unchanged, for its types. */
export function defineAgent(agent: ProgramAgent): ProgramAgent {
  return agent;
}
