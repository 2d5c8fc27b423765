import { createHmac, timingSafeEqual } from "node:crypto";
import { CadreError } from "../../errors.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../../run/permission.ts";

/** The part of a question that a seal covers: the action, the run and step that request it, and the folder. */
export type SealedQuestion = Pick<
  ApprovalRequest,
  "runId" | "stepKey" | "tool" | "subject" | "input"
> & { workspace: string };

/** Seals answers with a key of this user, so that Cadre rejects an answer from a forged journal. */
export interface ApprovalSeal {
  /** Returns `undefined` without a key. The answer then counts until the process ends. */
  seal(question: SealedQuestion, answer: ApprovalAnswer): string | undefined;
  isSealed(question: SealedQuestion, answer: ApprovalAnswer, seal: string | undefined): boolean;
}

/** Creates a seal with the key from `readKey`, which is called at the first question. */
export function createApprovalSeal(readKey: () => Buffer): ApprovalSeal {
  let key: Buffer | null | undefined;
  /** A read-only home folder must not prevent answers. */
  function findKey(): Buffer | null {
    if (key !== undefined) return key;
    try {
      key = readKey();
    } catch (error) {
      if (!(error instanceof CadreError)) throw error;
      process.emitWarning(`Answered questions are asked again after a resume: ${error.message}`);
      key = null;
    }
    return key;
  }

  function seal(question: SealedQuestion, answer: ApprovalAnswer): string | undefined {
    const known = findKey();
    if (known === null) return undefined;
    const { workspace, runId, stepKey, tool, subject, input } = question;
    const text = JSON.stringify([workspace, runId, stepKey, tool, subject, input, answer]);
    return createHmac("sha256", known).update(text).digest("hex");
  }

  return {
    seal,
    isSealed(question, answer, given) {
      if (given === undefined) return false;
      const expected = Buffer.from(seal(question, answer) ?? "");
      const found = Buffer.from(given);
      const isWhole = expected.length > 0 && expected.length === found.length;
      return isWhole && timingSafeEqual(expected, found);
    },
  };
}
