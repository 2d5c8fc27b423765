import type { ApprovalAnswer } from "../../run/permission.ts";

/** An answer from elsewhere to a question of a run. Plain JSON. */
export interface GivenAnswer {
  /** Unique; the journal names it. */
  id: string;
  /** The asking step. */
  stepKey: string;
  answer: ApprovalAnswer;
}

/** Receives answers to the open question of one run from other processes and parts of the program. */
export interface AnswerBox {
  /** Resolves with the first answer to the question of a step. The question counts as open until {@link AnswerBox.close}. */
  open(stepKey: string): Promise<GivenAnswer>;
  close(): void;
  /** Gives an answer. Returns `false` when the question is not open or already answered. */
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
