import type { GivenAnswer } from "../../engine/run-context/answer-box.ts";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Registry } from "../../registry/registry.ts";
import { type ApprovalRequest, describeApproval } from "../../run/permission.ts";
import { isTerminal, type Run } from "../../run/run.ts";
import { createRunId } from "../../run/run-id.ts";
import { shortRunId } from "../../short-run-id.ts";
import { checkAnswer } from "../option/check-answer.ts";
import type { Cadre } from "../cadre.ts";
import type { Question } from "../question.ts";
import { findRun, type Store } from "../services/store.ts";
import type { EventOf } from "../../run/event.ts";

/** Creates the part of Cadre that lists and answers questions. */
export function answerQuestions(store: Store): Pick<Cadre, "questions" | "answer"> {
  return {
    async questions() {
      const runs =
        (await store.openExisting()?.runs({ status: ["awaiting-approval"], limit: 10_000 })) ?? [];
      return runs.flatMap(toQuestion).toSorted((one, other) => one.askedAt - other.askedAt);
    },
    async answer(id, answer) {
      checkAnswer(answer);
      const { name, stepKey } = readId(id);
      const run = await findRun(store.openExisting(), name);
      const registry = store.open();
      await requireWaiting(registry, run, stepKey);
      const given: GivenAnswer = { id: `a-${createRunId(Date.now())}`, stepKey, answer };
      await registry.request(run.id, "answer", { ...given });
      return await awaitTaken(registry, run, given);
    },
  };
}

function toQuestion({ id, rootId, label, approval }: Run): Question[] {
  if (approval === null) return [];
  return [{ ...approval, id: `${shortRunId(id)}:${approval.stepKey}`, rootId, label }];
}

function readId(id: string): { name: string; stepKey: string } {
  const [, name, stepKey] = /^([^:]+):(.+)$/s.exec(id) ?? [];
  if (name !== undefined && stepKey !== undefined) return { name, stepKey };
  const message = `Expected the id of a question such as 7f3q01c:tool/3/0, got ${JSON.stringify(id)}. \`cadre questions\` lists them.`;
  throw new CadreError("invalid-argument", message);
}

/** @throws CadreError `already-answered`, or `invalid-argument` when the question does not wait for an answer. */
async function requireWaiting(registry: Registry, { id }: Run, stepKey: string): Promise<void> {
  const run = await registry.run(id);
  if (run?.approval?.stepKey === stepKey) return;
  const { answered } = await readQuestion(registry, id, { stepKey });
  throw answered === undefined ? notAsked(id, stepKey, run) : late(id, answered);
}

/** Waits until the process that executes the run has taken the answer; `false` when there is no such process. */
async function awaitTaken(
  registry: Registry,
  { id, rootId }: Run,
  given: GivenAnswer,
): Promise<boolean> {
  for (;;) {
    const looking = new AbortController();
    const change = registry.changed(looking.signal);
    // An error of the query below takes precedence.
    change.catch(() => undefined);
    try {
      const { answered, askedAgain } = await readQuestion(registry, id, given);
      if (askedAgain !== undefined) throw notFitting(askedAgain);
      if (answered?.id === given.id) return true;
      if (answered !== undefined) throw late(id, answered);
      const run = await registry.run(id);
      if (run === undefined || isTerminal(run.status)) throw notAsked(id, given.stepKey, run);
      if ((await registry.abandoned()).includes(rootId)) return false;
      // This process may execute the run itself, and its own events do not resolve `change`.
      await Promise.race([change, nextOwnEvent(registry, id, looking.signal)]);
    } finally {
      looking.abort();
    }
  }
}

/** Resolves with the next event of the run that this process writes. */
async function nextOwnEvent(registry: Registry, runId: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = registry.subscribe((event) => {
    if (event.runId === runId) resolve();
  });
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  stop();
}

/** The last answer to a question, and the question that followed the given answer because it did not fit. */
async function readQuestion(
  registry: Registry,
  runId: string,
  { stepKey, id }: Pick<GivenAnswer, "stepKey"> & { id?: string },
): Promise<{ answered?: EventOf<"approval-answered">; askedAgain?: ApprovalRequest }> {
  let answered: EventOf<"approval-answered"> | undefined;
  let isGiven = false;
  for (const event of await registry.events(runId)) {
    if (event.type === "approval-answered" && event.stepKey === stepKey) {
      answered = event;
      isGiven ||= id !== undefined && event.id === id;
    }
    if (event.type !== "approval-requested" || event.request.stepKey !== stepKey) continue;
    if (isGiven) return { askedAgain: event.request };
    answered = undefined;
  }
  return omitUndefined({ answered });
}

function notFitting({ reason }: ApprovalRequest): CadreError {
  const message = `The run did not accept the answer and asks again: ${reason}.`;
  return new CadreError("invalid-argument", message);
}

function late(runId: string, { answer }: EventOf<"approval-answered">): CadreError {
  const message = `The question of run ${runId} was already answered: ${describeApproval(answer)}.`;
  return new CadreError("already-answered", message, { details: { answer } });
}

function notAsked(runId: string, stepKey: string, run: Run | undefined): CadreError {
  const status = run === undefined ? "is gone" : `is ${run.status}`;
  const message = `The run ${runId} ${status} and has no waiting question ${stepKey}. \`cadre questions\` lists the waiting ones.`;
  return new CadreError("invalid-argument", message);
}
