import type { RecordedReply } from "../loop/turns.ts";
import { modelKey } from "../loop/model-key.ts";
import type { RunContext } from "../run-context/run-context.ts";
import type { StepOutcome } from "../run-context/steps.ts";
import { createCallJournal } from "./call-journal.ts";
import {
  callKeys,
  noteKey,
  type EarlierTurns,
  readEarlierTurns,
  type TurnNote,
} from "./earlier-turns.ts";
import { composePrompt, type Exchange } from "./prompt.ts";
import { readUsage } from "./read-usage.ts";
import type { OpenRunner, RunnerProcess } from "./runner-process.ts";
import type { TurnEnd } from "./stop-reason.ts";
import { type TurnOutput, listenToTurn } from "./turn-listener.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { traceHeaders } from "../../trace-context.ts";

/** A runner's answer as the journal stores it. */
export type RunnerReply = RecordedReply & TurnEnd;

/** One turn of a conversation with a runner. */
export interface RunnerTurn {
  /** Counted from 1. */
  turn: number;
  asked: string;
  /** The earlier turns. */
  earlier: readonly Exchange[];
  images: readonly { mediaType: string; data: string }[];
  /** The session of the previous turn, in this or an earlier process. */
  sessionId: string | undefined;
  now: () => number;
}

/** Prompts a runner as a durable step. A recorded answer is not requested again. */
export async function askRunner(
  run: RunContext,
  runnerProcess: RunnerProcess,
  turn: RunnerTurn,
): Promise<{ reply: RunnerReply; sessionId: string | undefined }> {
  const earlier = await readEarlierTurns(run, turn.turn);
  const key = modelKey(run, turn.turn);
  let sessionId = earlier.sessionId ?? turn.sessionId;
  const reply = await run.steps.do<RunnerReply>({ key, kind: "model" }, async () => {
    const isSame = runnerProcess.isOpen();
    const runner = await runnerProcess.open(sessionId);
    sessionId = runner.session.id;
    const knows = isSame || runner.session.isContinued;
    const missing = { exchanges: knows ? [] : turn.earlier, interrupted: earlier };
    const prompt = composePrompt(turn.asked, missing);
    return await takeTurn(run, runnerProcess, {
      runner,
      turn,
      earlier,
      prompt,
      isFirst: !knows || turn.turn === 1,
    });
  });
  return { reply, sessionId };
}

interface Taking {
  runner: OpenRunner;
  turn: RunnerTurn;
  earlier: EarlierTurns;
  prompt: string;
  /** Whether the runner has not received the task's images. */
  isFirst: boolean;
}

async function takeTurn(
  run: RunContext,
  runnerProcess: RunnerProcess,
  { runner, turn, earlier, prompt, isFirst }: Taking,
): Promise<StepOutcome<RunnerReply>> {
  const { agent, session: acp } = runner;
  const { prefix, registry, spec } = run;
  const time = earlier.begun + 1;
  const note: TurnNote = { runId: spec.id, sessionId: acp.id, runner: agent.abilities.title };
  const noted = { key: noteKey(run, turn.turn, time), kind: "note" } as const;
  await run.steps.do(noted, async () => ({ value: note }));
  await registry.flushed();
  const keys = callKeys(run, turn.turn);
  const journal = createCallJournal(run, { keys, first: earlier.nextCall, now: turn.now });
  const { listener, output } = listenToTurn(run, {
    runnerProcess,
    journal,
    sessionId: acp.id,
    step: modelKey(run, turn.turn),
    questions: `${prefix}permit/${turn.turn}/${time}/`,
  });
  runnerProcess.listen(listener);
  const images = isFirst ? turn.images : [];
  if (images.length > 0 && !agent.abilities.takesImages) run.warnings.add(noImages);
  try {
    const params = {
      sessionId: acp.id,
      prompt: toBlocks(prompt, agent.abilities.takesImages ? images : []),
      ...omitUndefined({ _meta: traceHeaders() }),
    };
    const answer = await agent.ask("session/prompt", params);
    await journal.close();
    await recordPlan(run, turn.turn, output);
    return toOutcome(run, runner, { answer, output });
  } finally {
    run.endReply(modelKey(run, turn.turn));
    runnerProcess.listen(undefined);
    await journal.close();
  }
}

const noImages = "The runner does not support images, so it did not get the task's images.";

function toBlocks(text: string, images: RunnerTurn["images"]): Record<string, string>[] {
  const pictures = images.map(({ mediaType, data }) => ({
    type: "image",
    mimeType: mediaType,
    data,
  }));
  return [{ type: "text", text }, ...pictures];
}

/** Records the runner's last plan, for display. */
async function recordPlan(
  { steps, prefix }: RunContext,
  turn: number,
  { plan }: TurnOutput,
): Promise<void> {
  if (plan.length === 0) return;
  const value = plan.map(({ content, status }) => ({ content, status }));
  await steps.do({ key: `${prefix}plan/${turn}`, kind: "note" }, async () => ({ value }));
}

function toOutcome(
  run: RunContext,
  runner: OpenRunner,
  { answer, output }: { answer: Record<string, unknown>; output: TurnOutput },
): StepOutcome<RunnerReply> {
  const { stopReason } = answer;
  const usage = readUsage(answer);
  const cost = output.usd === null || runner.usd === null ? null : output.usd - runner.usd;
  runner.usd = output.usd ?? runner.usd;
  const { tokens, usd } = run.budget.pools;
  tokens?.spend(usage.inputTokens + usage.outputTokens);
  usd?.spend(Math.max(0, cost ?? 0));
  const value: RunnerReply = {
    parts: output.parts,
    finish: "stop",
    warnings: [],
    stopReason: typeof stopReason === "string" ? stopReason : "no reason",
    ...omitUndefined({ refused: output.refused }),
    ...(output.isBroken === true && { error: run.conclusion.text.trim().slice(0, 500) }),
  };
  return { value, usage, cost };
}
