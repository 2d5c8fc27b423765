import type { Failure } from "../../run/failure.ts";
import type { JsonObject } from "../../source/json.ts";
import type { SubAgentInput } from "./contract.ts";
import type { AgentConfig } from "../prompt-file/entry.ts";

/** The result of a sub-agent's run: its returned value, or a failure. */
export type SubAgentRun =
  | {
      value: unknown;
      /** Whether the agent comes from an AIPack pack, and so returns only the parameters it changes. */
      isFromPack?: boolean;
    }
  | { failure: Failure };

/** The prompt of a coder's run. */
export interface CoderAsk {
  /** The whole prompt: files, inputs and the instruction. */
  prompt: string;
  /** Only the instruction, for display. */
  instruction: string;
}

/** The result of a coder's run. */
export type CoderRun =
  | {
      /** The coder's last message. */
      text: string;
      /** Relative to the workspace. */
      files_changed: string[];
    }
  | { failure: Failure };

/**
 * The port from a pipeline to its run. A key identifies a step: a resumed pipeline passes the same keys and must get the recorded
 * results. When the run is stopped, `record` returns a failure, so the pipeline keeps its output. A promise rejects only when
 * nothing more can be recorded.
 */
export interface PipelinePort {
  /** Runs one agent to its end. */
  runSubAgent(config: AgentConfig, input: SubAgentInput, stepKey: string): Promise<SubAgentRun>;
  /** Runs the coder. `params` are those of the pipeline; its `model` is the coder's. */
  runCoder(asked: CoderAsk, params: JsonObject, stepKey: string): Promise<CoderRun>;
  /**
   * Calls `work` once and records its value, plain JSON, as a step of the run. A failure is not recorded: it ends the pipeline,
   * and a retry calls `work` again.
   */
  record<Value extends object>(
    stepKey: string,
    work: () => Promise<Value | { failure: Failure }>,
  ): Promise<Value | { failure: Failure }>;
}
