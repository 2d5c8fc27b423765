import type { ApprovalRequest } from "../run/permission.ts";

/** A run's question to the user that waits for an answer. Plain JSON. */
export interface Question extends ApprovalRequest {
  /** The argument of `Cadre.answer`: the short id of the run and the step that asks, such as `7f3q01c:tool/3/0`. */
  id: string;
  /** The first run of the family. */
  rootId: string;
  label: string | null;
  /** Epoch milliseconds. */
  askedAt: number;
}
