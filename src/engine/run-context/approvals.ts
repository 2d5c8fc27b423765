import type { Registry } from "../../registry/registry.ts";
import type { RunEvent } from "../../run/event.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { orAbort } from "../../source/or-abort.ts";
import type { AnswerBox } from "./answer-box.ts";
import type { ApprovalSeal } from "./approval-seal.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../../run/permission.ts";

/** Puts a question to the user. Should reject when `signal` aborts: the run has ended, and the answer is not needed. */
export type Ask = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>;

/** The questions of one run to the user: one at a time, each answered once however often the run is resumed. */
export interface Approvals {
  /** Asks again, a few times, while `refuse` returns why an answer does not fit the question; then the answer is a denial. */
  ask(request: ApprovalRequest, refuse?: RefuseAnswer): Promise<ApprovalAnswer>;
}

/** Returns why an answer does not fit the question, or `undefined`. */
export type RefuseAnswer = (answer: ApprovalAnswer) => string | undefined;

/** Options of {@link createApprovals}. */
export interface ApprovalsOptions {
  registry: Registry;
  /** `wait`: only answers from elsewhere count. Absent: no user can answer, which counts as a denial. */
  ask: Ask | "wait" | undefined;
  /** Takes answers from elsewhere. */
  answers: AnswerBox;
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
  const known = new Map<string, Answered>();
  for (const event of history) {
    // A question that was asked again has no answer yet.
    if (event.type === "approval-requested") known.delete(event.request.stepKey);
    if (event.type === "approval-answered") known.set(event.stepKey, event);
  }
  let last: Promise<unknown> = Promise.resolve();

  /** Asks the user of this program, until somebody answers from elsewhere. */
  async function findAnswer(
    request: ApprovalRequest,
    user: Ask | "wait",
  ): Promise<{ answer: ApprovalAnswer; id?: string }> {
    const elsewhere = options.answers.open(request.stepKey);
    const answered = new AbortController();
    const asked = AbortSignal.any([signal, answered.signal]);
    try {
      const here =
        user === "wait" ? [] : [user(request, asked).then((answer) => ({ answer, id: undefined }))];
      const first = Promise.race([elsewhere, ...here]);
      const { answer, id } = await orAbort(first, signal);
      return { answer, ...omitUndefined({ id }) };
    } finally {
      options.answers.close();
      // What asked here need not ask any more.
      answered.abort(new Error("the question was answered"));
    }
  }

  /** Records the question, and the answer to it. */
  async function askOnce(request: ApprovalRequest, user: Ask | "wait"): Promise<ApprovalAnswer> {
    const { runId, stepKey } = request;
    registry.append(runId, { type: "approval-requested", request });
    await registry.flushed();
    const { answer, id } = await findAnswer(request, user);
    signal.throwIfAborted();
    const mark = seal.seal({ ...request, workspace }, answer);
    const more = omitUndefined({ seal: mark, id });
    registry.append(runId, { type: "approval-answered", stepKey, answer, ...more });
    return answer;
  }

  async function askUser(
    request: ApprovalRequest,
    user: Ask | "wait",
    refuse: RefuseAnswer,
  ): Promise<ApprovalAnswer> {
    signal.throwIfAborted();
    let { reason } = request;
    for (let corrections = 0; ; corrections++) {
      const answer = await askOnce({ ...request, reason }, user);
      const problem = refuse(answer);
      if (problem !== undefined && corrections < mostCorrections) {
        // The next question becomes durable together with this answer, so that nobody takes the answer for the last one.
        reason = `${problem}; ${request.reason}`;
        continue;
      }
      await registry.flushed();
      return problem === undefined ? answer : { decision: "deny", reason: problem };
    }
  }

  function findKnown(request: ApprovalRequest, refuse: RefuseAnswer): ApprovalAnswer | undefined {
    const before = known.get(request.stepKey);
    known.delete(request.stepKey);
    if (before === undefined) return undefined;
    const { answer } = before;
    if (!seal.isSealed({ ...request, workspace }, answer, before.seal)) return undefined;
    return refuse(answer) === undefined ? answer : undefined;
  }

  return {
    ask(request, refuse = () => undefined) {
      const answer = findKnown(request, refuse);
      if (answer !== undefined) return Promise.resolve(answer);
      if (ask === undefined) return Promise.resolve(nobody);
      const turn = last.then(() => askUser(request, ask, refuse));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

/** The most answers that are asked for in place of one that does not fit. */
const mostCorrections = 3;

const nobody: ApprovalAnswer = {
  decision: "deny",
  reason: "there is no user to ask (no terminal and no approver)",
};
