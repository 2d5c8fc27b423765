import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { Run, RunSpec } from "../../run/run.ts";
import type { TraceContext } from "../../trace-context.ts";
import type { Step } from "./step.ts";

/**
 * Executes runs and steps at their place in a trace, so that their requests and commands continue it. A trace shows them as a
 * projection of their journals.
 */
export interface Tracing {
  /** Returns where in a trace the caller starts a family. */
  caller(): TraceContext | undefined;
  /** Executes a run, from here to its end in this process. */
  run<Value>(subject: TracedRun, work: () => Promise<Value>): Promise<Value>;
  /** Does the work of a step of a run in {@link Tracing.run}. */
  step<Value>(runId: string, step: Step, work: () => Promise<Value>): Promise<Value>;
}

/** A run that is traced. */
export interface TracedRun {
  run: Run;
  spec: RunSpec;
  definition: AgentDefinition;
}
