import type { Failure } from "../run/failure.ts";
import type { JsonObject } from "../source/json.ts";
import type { SubAgentInput } from "./contract.ts";
import type { AgentConfig } from "./entry.ts";

/** How the run of a sub-agent ended: what it returned, or why it did not. */
export type SubAgentRun =
  | {
      value: unknown;
      /** Whether the agent comes from an AIPack pack, and so returns only the parameters it changes. */
      isFromPack?: boolean;
    }
  | { failure: Failure };

/** What the coder is asked. */
export interface CoderAsk {
  /** The whole prompt: files, inputs and the instruction. */
  prompt: string;
  /** The instruction alone, for people. */
  instruction: string;
}

/** How the run of the coder ended. */
export type CoderRun =
  | {
      /** Its last words. */
      text: string;
      /** Relative to the workspace. */
      files_changed: string[];
    }
  | { failure: Failure };

/**
 * What a pipeline needs from its run. The same key always stands for the same step: a pipeline that is executed again asks for
 * the same keys, and must get what was recorded under them. A promise is rejected only to end the pipeline as a whole, such as
 * by cancelling it.
 */
export interface PipelinePort {
  /** Runs one agent to its end. */
  runSubAgent(config: AgentConfig, input: SubAgentInput, stepKey: string): Promise<SubAgentRun>;
  /** Runs the coder. `params` are the pipeline's; `model` among them is the coder's. */
  runCoder(asked: CoderAsk, params: JsonObject, stepKey: string): Promise<CoderRun>;
  /**
   * Does `work` once and keeps its value, which is plain JSON, as a step of the run. A failure is not kept: it ends the pipeline, and
   * a retry does the work again.
   */
  record<Value extends object>(
    stepKey: string,
    work: () => Promise<Value | { failure: Failure }>,
  ): Promise<Value | { failure: Failure }>;
}
