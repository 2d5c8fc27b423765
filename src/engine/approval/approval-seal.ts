import { createHmac, timingSafeEqual } from "node:crypto";
import { CadreError } from "../../errors.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../../run/permission.ts";

/** A question as a seal is about it: what would be done, by which step of which run, and where. */
export type SealedQuestion = Pick<
  ApprovalRequest,
  "runId" | "stepKey" | "tool" | "subject" | "input"
> & { workspace: string };

/** Seals the answers of this user, so that an answer in a journal that somebody else wrote is not believed. */
export interface ApprovalSeal {
  /** `undefined` when there is no key: the answer then counts until the process ends, and is asked for again after that. */
  seal(question: SealedQuestion, answer: ApprovalAnswer): string | undefined;
  isSealed(question: SealedQuestion, answer: ApprovalAnswer, seal: string | undefined): boolean;
}

/** Seals with the key that `readKey` gives, which is asked for when the first question is answered or read. */
export function createApprovalSeal(readKey: () => Buffer): ApprovalSeal {
  let key: Buffer | null | undefined;
  /** A home that cannot be written to must not keep the user from answering. */
  function findKey(): Buffer | null {
    if (key !== undefined) return key;
    try {
      key = readKey();
    } catch (error) {
      if (!(error instanceof CadreError)) throw error;
      process.emitWarning(
        `Questions that were answered are asked again after a resume: ${error.message}`,
      );
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
