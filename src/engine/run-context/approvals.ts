import type { Registry } from "../../registry/registry.ts";
import type { RunEvent } from "../../run/event.ts";
import type { ApprovalSeal } from "./approval-seal.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../../run/permission.ts";

/** Puts a question to the user. Should reject when `signal` aborts: the run has ended, and the answer is not needed. */
export type Ask = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>;

/** The questions of one run to the user: one at a time, each answered once however often the run is resumed. */
export interface Approvals {
  ask(request: ApprovalRequest): Promise<ApprovalAnswer>;
}

/** Options of {@link createApprovals}. */
export interface ApprovalsOptions {
  registry: Registry;
  /** Absent: no user can answer, which counts as a denial. */
  ask: Ask | undefined;
  signal: AbortSignal;
  seal: ApprovalSeal;
  /** The workspace of the run. */
  workspace: string;
  /** The journal of earlier attempts. */
  history: readonly RunEvent[];
}

type Answered = Extract<RunEvent, { type: "approval-answered" }>;

/** Creates the approvals of one run, recorded in its journal. */
export function createApprovals(options: ApprovalsOptions): Approvals {
  const { registry, ask, signal, seal, workspace, history } = options;
  const answers = new Map<string, Answered>();
  for (const event of history) {
    if (event.type === "approval-answered") answers.set(event.stepKey, event);
  }
  let last: Promise<unknown> = Promise.resolve();

  async function askUser(request: ApprovalRequest, user: Ask): Promise<ApprovalAnswer> {
    const { runId, stepKey } = request;
    signal.throwIfAborted();
    registry.append(runId, { type: "approval-requested", request });
    await registry.flushed();
    const answer = await user(request, signal);
    signal.throwIfAborted();
    const mark = seal.seal({ ...request, workspace }, answer);
    const sealed = mark === undefined ? {} : { seal: mark };
    registry.append(runId, { type: "approval-answered", stepKey, answer, ...sealed });
    await registry.flushed();
    return answer;
  }

  return {
    ask(request) {
      const known = answers.get(request.stepKey);
      if (
        known !== undefined &&
        seal.isSealed({ ...request, workspace }, known.answer, known.seal)
      ) {
        return Promise.resolve(known.answer);
      }
      if (ask === undefined) return Promise.resolve(nobody);
      const turn = last.then(() => askUser(request, ask));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

const nobody: ApprovalAnswer = {
  decision: "deny",
  reason: "there is no user to ask (no terminal and no approver)",
};
