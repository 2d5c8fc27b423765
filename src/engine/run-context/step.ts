import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { CallPermission } from "../../run/permission.ts";
import type { JsonValue } from "../../source/json.ts";

/** A durable step. Its key is unique within the run, and the same in every execution of it. */
export type Step =
  | {
      key: string;
      kind: "model" | "note";
      /** The model's conversation, for traces. */
      prompt?: LanguageModelV4Prompt;
      /** The work is a program's code, which may write files. */
      mayWrite?: true;
    }
  | {
      key: string;
      kind: "tool";
      /** One line, for display in trees. */
      title: string;
      /** Repeating the step could do harm, so a resume reports it as interrupted. */
      hasEffect: boolean;
      /** The call, for traces. */
      call?: StepCall;
      /** How the call was allowed before its start; see `step-started`. */
      permission?: CallPermission;
      /** The warning in the run's result about the refused call; see `step-finished`. */
      warning?: string;
    };

/** The tool call behind a step. */
export interface StepCall {
  tool: string;
  /** The provider's id of the call. */
  id?: string;
  input?: JsonValue;
}
