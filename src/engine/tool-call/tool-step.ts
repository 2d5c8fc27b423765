import type { ToolOutcome } from "../../tool/tool.ts";
import type { CallPermission } from "../../run/permission.ts";
import type { Step, StepCall } from "../run-context/step.ts";
import type { RunContext } from "../run-context/run-context.ts";

/** Receives how a call was allowed or denied without a question. */
export type NotePermission = (permission: CallPermission) => void;

/** Receives the warning in the run's result about the refused call. */
export type NoteWarning = (warning: string) => void;

/** A permitted call as a durable step. */
export interface ToolStep {
  key: string;
  /** One line, for display in trees. */
  title: string;
  /** Repeating the call could do harm, so a resume reports it as interrupted. */
  hasEffect: boolean;
  /** Returns why the call is refused, or `undefined`. Passes on the permission and the warning to record with the call. */
  refuse: (note: NotePermission, noteWarning: NoteWarning) => Promise<string | undefined>;
  /** See `Step.call`. */
  call: StepCall;
  /** Advice to the caller of a refused call. */
  advice?: string;
}

/**
 * Performs a call once, as a durable step with permission and budget. A refusal, and an interruption in an earlier execution,
 * become outcomes that say so.
 */
export function takeToolStep(
  run: RunContext,
  { key, title, hasEffect, refuse, call, advice }: ToolStep,
  perform: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const step: Extract<Step, { kind: "tool" }> = { key, kind: "tool", title, hasEffect, call };
  return run.steps.do<ToolOutcome>(step, () => perform().then((value) => ({ value })), {
    interrupted: () => interruptedOutcome(title),
    async refuse() {
      const reason = await refuse(
        (permission) => (step.permission = permission),
        (warning) => (step.warning = warning),
      );
      if (reason === undefined) {
        run.budget.callTool();
        return undefined;
      }
      const text = `${denial}${title}: ${reason}`;
      return { text: advice === undefined ? text : `${text}. ${advice}`, isError: true };
    },
  });
}

const denial = "Permission denied for ";

/** Reports whether the message of a script's error contains the message of a refused call. Scripts' errors are plain text. */
export function isDenial(message: string): boolean {
  return message.includes(`: ${denial}`);
}

/** Returns the outcome of a call with an effect that was active when the process was stopped. */
export function interruptedOutcome(title: string): ToolOutcome {
  return {
    text: `Interrupted, effect unknown, check before repeating: ${title} was active when the process was stopped.`,
    isError: true,
  };
}
