import type { Cadre, Question, RunOverview } from "../../host.ts";
import { shortRunId } from "../../short-run-id.ts";
import { findBackground } from "./background-family.ts";
import { startSupervisor } from "./start-supervisor.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { createQuestions } from "../terminal/question.ts";
import { createQuestionTerminal } from "../terminal/question-terminal.ts";
import type { Display } from "../view/display.ts";
import { followFamily, watchProcess } from "../run/follow-family.ts";
import { showReplies } from "../run/show-replies.ts";
import { saveRule } from "../run/save-rule.ts";
import { errorMessage } from "../../error-message.ts";

/** The interval between two reads of the tree while events arrive, in milliseconds. */
const readMs = 150;

/** A run to watch. */
export interface WatchRequest {
  run: RunOverview;
  display: Display;
  /** Stops watching; the run continues. */
  stop: AbortController;
  /** Whether to ask the user the family's questions, where there is a terminal. */
  asks: boolean;
  /** Whether to show earlier events too. Default false. */
  fromStart?: boolean;
  onInterrupt: () => void;
}

/**
 * Shows a run and its descendants, whichever process executes them, until they have ended or the user leaves. Continues a background
 * run whose process is gone; does not continue any other run.
 */
export async function watchRun(cadre: Cadre, request: WatchRequest): Promise<void> {
  const { run, display, stop, asks, fromStart = false } = request;
  const answers = asks ? createAnswers(cadre, request) : undefined;
  const tree = showTree(cadre, request);
  const onGone = async (): Promise<void> => {
    const found = await findBackground(cadre.stateFolder, run.rootId);
    if (found !== undefined && found.problem === undefined) {
      return await startSupervisor(cadre.stateFolder);
    }
    const why = found?.problem === undefined ? "" : ` ${cleanLine(found.problem)}`;
    display.note(
      `No process executes it any more.${why} To continue it: cadre resume ${shortRunId(run.rootId)}`,
    );
    stop.abort(new Error("no process executes the run"));
  };
  const over = new AbortController();
  const signal = AbortSignal.any([stop.signal, over.signal]);
  const watching = watchProcess(cadre, run.rootId, { signal, onGone });
  const showing = showReplies(cadre, run.id, { display, signal });
  try {
    await tree.read();
    if (answers === undefined) await nameQuestions(cadre, request);
    await answers?.askOpen();
    const how = { fromStart, signal: stop.signal, onWait: (line: string) => display.note(line) };
    for await (const found of followFamily(cadre, run.id, how)) {
      tree.touch();
      if (display.showsEvents) display.event(found.event, found.run);
      const { event } = found;
      if (event.type === "approval-requested") void answers?.askOpen();
      if (event.type === "approval-answered") answers?.close(event.runId, event.stepKey);
    }
    await tree.read();
  } finally {
    over.abort();
    tree.stop();
    answers?.stop();
    await Promise.all([watching, showing]);
  }
}

/** Without a terminal, says how to answer the questions that are already waiting. */
async function nameQuestions(cadre: Cadre, { run, display, asks }: WatchRequest): Promise<void> {
  const waiting = asks ? await cadre.questions() : [];
  for (const { id, title } of waiting.filter(({ rootId }) => rootId === run.rootId)) {
    display.note(`${cleanLine(title)} waits for an answer: cadre answer ${id} yes`);
  }
}

/** Reads the tree again shortly after each event. */
function showTree(
  cadre: Cadre,
  { run, display }: WatchRequest,
): { read(): Promise<void>; touch(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const read = async (): Promise<void> => display.take(await cadre.tree(run.id));
  return {
    read,
    touch() {
      timer ??= setTimeout(() => {
        timer = undefined;
        // The reader of the events reports the same failure.
        read().catch(() => undefined);
      }, readMs);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Asks the user each open question of a family once, until it is answered. */
function createAnswers(
  cadre: Cadre,
  { run, display, stop, onInterrupt }: WatchRequest,
):
  | { askOpen(): Promise<void>; close(runId: string, stepKey: string): void; stop(): void }
  | undefined {
  const terminal = createQuestionTerminal({
    input: process.stdin,
    output: process.stderr,
    pause: async () => await display.pause(),
    resume: () => display.resume(),
    onInterrupt,
  });
  if (terminal === undefined) return undefined;
  const ask = createQuestions({ terminal, rootOf: () => run.rootId, saveRule });
  const open = new Map<string, AbortController>();
  const keyOf = (runId: string, stepKey: string): string => `${runId} ${stepKey}`;

  async function put(question: Question): Promise<void> {
    const key = keyOf(question.runId, question.stepKey);
    if (open.has(key)) return;
    const answered = new AbortController();
    open.set(key, answered);
    try {
      const signal = AbortSignal.any([stop.signal, answered.signal]);
      const answer = await ask(question, signal);
      if (!signal.aborted) await cadre.answer(question.id, answer);
    } catch (error) {
      // The question was answered elsewhere, or the user has left.
      if (!answered.signal.aborted && !stop.signal.aborted) {
        display.note(cleanLine(errorMessage(error)));
      }
    } finally {
      if (open.get(key) === answered) open.delete(key);
    }
  }

  return {
    async askOpen() {
      const family = new Set((await cadre.tree(run.id)).map(({ id }) => id));
      for (const question of await cadre.questions()) {
        if (family.has(question.runId)) void put(question);
      }
    },
    close: (runId, stepKey) =>
      open.get(keyOf(runId, stepKey))?.abort(new Error("the question was answered")),
    stop() {
      for (const one of open.values()) one.abort(new Error("the watch has ended"));
    },
  };
}
