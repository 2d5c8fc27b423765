import type { ApprovalAnswer } from "../../run/permission.ts";

/** An answer to a question of a run that was given elsewhere. Plain JSON. */
export interface GivenAnswer {
  /** Unique; the journal names it. */
  id: string;
  /** The step that asks. */
  stepKey: string;
  answer: ApprovalAnswer;
}

/** Takes answers to the open question of one run that other processes and parts of the program give. */
export interface AnswerBox {
  /** Resolves with the first answer to the question of a step; until {@link AnswerBox.close}, the question counts as open. */
  open(stepKey: string): Promise<GivenAnswer>;
  close(): void;
  /** Gives an answer; `false` when the question is not open, or was answered. */
  give(given: GivenAnswer): boolean;
}

/** Creates the answer box of one run. */
export function createAnswerBox(): AnswerBox {
  let question: { stepKey: string; resolve: (given: GivenAnswer) => void } | undefined;
  return {
    open(stepKey) {
      const { promise, resolve } = Promise.withResolvers<GivenAnswer>();
      question = { stepKey, resolve };
      return promise;
    },
    close() {
      question = undefined;
    },
    give(given) {
      if (question?.stepKey !== given.stepKey) return false;
      question.resolve(given);
      question = undefined;
      return true;
    },
  };
}
