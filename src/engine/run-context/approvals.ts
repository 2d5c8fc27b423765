import type { Registry } from "../../registry/registry.ts";
import type { RunEvent } from "../../run/event.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { orAbort } from "../../source/or-abort.ts";
import type { AnswerBox } from "./answer-box.ts";
import type { ApprovalSeal } from "./approval-seal.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../../run/permission.ts";
import type { EventOf } from "../../run/event.ts";

/** Puts a question to the user. Should reject when `signal` aborts, because the run has ended and does not need the answer. */
export type Ask = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>;

/** The questions of one run to the user, one at a time. Each is answered once, however often the run is resumed. */
export interface Approvals {
  /**
   * Repeats the question a few times while `refuse` returns why an answer does not fit it. After that, the answer is a denial.
   */
  ask(request: ApprovalRequest, refuse?: RefuseAnswer): Promise<ApprovalAnswer>;
}

/** Returns why an answer does not fit the question, or `undefined`. */
export type RefuseAnswer = (answer: ApprovalAnswer) => string | undefined;

/** Options of {@link createApprovals}. */
export interface ApprovalsOptions {
  registry: Registry;
  /** `wait`: only answers from elsewhere count. Absent: no user can answer, and each question is denied. */
  ask: Ask | "wait" | undefined;
  /** Receives answers from elsewhere. */
  answers: AnswerBox;
  signal: AbortSignal;
  seal: ApprovalSeal;
  /** The workspace of the run. */
  workspace: string;
  /** The journal of earlier attempts. */
  history: readonly RunEvent[];
}

/** Creates the approvals of one run, recorded in its journal. */
export function createApprovals(options: ApprovalsOptions): Approvals {
  const { ask, seal, workspace } = options;
  const known = readAnswers(options.history);
  let last: Promise<unknown> = Promise.resolve();

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
      if (ask === undefined) return Promise.resolve(deniedWithoutUser);
      const turn = last.then(async () => await askUser({ ...options, ask }, request, refuse));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

/** The answers of a run that is executed for the first time. Never filled. */
const noAnswers = new Map<string, EventOf<"approval-answered">>();

/** Returns the last answer to each question of earlier attempts. A repeated question has no answer yet. */
function readAnswers(history: readonly RunEvent[]): Map<string, EventOf<"approval-answered">> {
  if (history.length === 0) return noAnswers;
  const known = new Map<string, EventOf<"approval-answered">>();
  for (const event of history) {
    if (event.type === "approval-requested") known.delete(event.request.stepKey);
    if (event.type === "approval-answered") known.set(event.stepKey, event);
  }
  return known;
}

/** Options with a user who can answer. */
interface Asking extends ApprovalsOptions {
  ask: Ask | "wait";
}

async function askUser(
  options: Asking,
  request: ApprovalRequest,
  refuse: RefuseAnswer,
): Promise<ApprovalAnswer> {
  options.signal.throwIfAborted();
  let { reason } = request;
  for (let corrections = 0; ; corrections++) {
    const answer = await askOnce(options, { ...request, reason });
    const problem = refuse(answer);
    if (problem !== undefined && corrections < maxCorrections) {
      // The next question becomes durable together with this answer. Otherwise a resume could take this answer for the final one.
      reason = `${problem}; ${request.reason}`;
      continue;
    }
    await options.registry.flushed();
    return problem === undefined ? answer : { decision: "deny", reason: problem };
  }
}

/** Records the question, and the answer to it. */
async function askOnce(options: Asking, request: ApprovalRequest): Promise<ApprovalAnswer> {
  const { registry, signal, seal, workspace } = options;
  const { runId, stepKey } = request;
  registry.append(runId, { type: "approval-requested", request });
  await registry.flushed();
  const { answer, id } = await findAnswer(options, request);
  signal.throwIfAborted();
  const mark = seal.seal({ ...request, workspace }, answer);
  const more = omitUndefined({ seal: mark, id });
  registry.append(runId, { type: "approval-answered", stepKey, answer, ...more });
  return answer;
}

/** Asks the user of this program until an answer comes from another process. */
async function findAnswer(
  { ask, answers, signal }: Asking,
  request: ApprovalRequest,
): Promise<{ answer: ApprovalAnswer; id?: string }> {
  const elsewhere = answers.open(request.stepKey);
  const answered = new AbortController();
  const asked = AbortSignal.any([signal, answered.signal]);
  try {
    const here =
      ask === "wait" ? [] : [ask(request, asked).then((answer) => ({ answer, id: undefined }))];
    const { answer, id } = await orAbort(Promise.race([elsewhere, ...here]), signal);
    return { answer, ...omitUndefined({ id }) };
  } finally {
    answers.close();
    // The question in this process can be withdrawn.
    answered.abort(new Error("the question was answered"));
  }
}

/** How often the user is asked again after an answer that does not fit. */
const maxCorrections = 3;

/** The answer where no user can answer. */
export const deniedWithoutUser: { decision: "deny"; reason: string } = {
  decision: "deny",
  reason: "there is no user to ask (no terminal and no approver)",
};
