import type { RecordedReply } from "../turns.ts";
import { modelKey } from "../turns.ts";
import type { Session } from "../session.ts";
import type { StepOutcome } from "../steps.ts";
import { createCallJournal } from "./call-journal.ts";
import { callKeys, noteKey, type Past, readPast, type TurnNote } from "./past.ts";
import { composePrompt, type Exchange } from "./prompt.ts";
import { readUsage } from "./read-usage.ts";
import type { OpenRunner, Seat } from "./seat.ts";
import type { TurnEnd } from "./stop-reason.ts";
import { type Heard, listenToTurn } from "./turn-listener.ts";

/** What a runner answered in a turn, as the journal keeps it. */
export type RunnerReply = RecordedReply & TurnEnd;

/** One turn of a conversation with a runner. */
export interface RunnerTurn {
  /** Counted from 1. */
  turn: number;
  asked: string;
  /** The turns before. */
  earlier: readonly Exchange[];
  images: readonly { mediaType: string; data: string }[];
  /** The session of the turn before, of whichever process. */
  sessionId: string | undefined;
  now: () => number;
}

/** Asks a runner, as a durable step: what an earlier process has of the answer is not asked for again. */
export async function askRunner(
  session: Session,
  seat: Seat,
  turn: RunnerTurn,
): Promise<{ reply: RunnerReply; sessionId: string | undefined }> {
  const past = await readPast(session, turn.turn);
  const key = modelKey(session, turn.turn);
  let sessionId = past.sessionId ?? turn.sessionId;
  const reply = await session.steps.do<RunnerReply>({ key, kind: "model" }, async () => {
    const isSame = seat.isOpen();
    const runner = await seat.open(sessionId);
    sessionId = runner.session.id;
    const knows = isSame || runner.session.isContinued;
    const missing = { earlier: knows ? [] : turn.earlier, past };
    const prompt = composePrompt(turn.asked, missing);
    return await takeTurn(session, seat, {
      runner,
      turn,
      past,
      prompt,
      isFirst: !knows || turn.turn === 1,
    });
  });
  return { reply, sessionId };
}

interface Taking {
  runner: OpenRunner;
  turn: RunnerTurn;
  past: Past;
  prompt: string;
  /** The runner has not seen the images of the task. */
  isFirst: boolean;
}

async function takeTurn(
  session: Session,
  seat: Seat,
  { runner, turn, past, prompt, isFirst }: Taking,
): Promise<StepOutcome<RunnerReply>> {
  const { agent, session: acp } = runner;
  const { prefix, registry, spec } = session;
  const time = past.begun + 1;
  const note: TurnNote = { runId: spec.id, sessionId: acp.id, runner: agent.abilities.title };
  const noted = { key: noteKey(session, turn.turn, time), kind: "note" } as const;
  await session.steps.do(noted, async () => ({ value: note }));
  await registry.flushed();
  const keys = callKeys(session, turn.turn);
  const journal = createCallJournal(session, { keys, first: past.nextCall, now: turn.now });
  const { listener, heard } = listenToTurn(session, {
    seat,
    journal,
    sessionId: acp.id,
    questions: `${prefix}permit/${turn.turn}/${time}/`,
  });
  seat.listen(listener);
  const images = isFirst ? turn.images : [];
  if (images.length > 0 && !agent.abilities.takesImages) session.warnings.add(noImages);
  try {
    const params = {
      sessionId: acp.id,
      prompt: toBlocks(prompt, agent.abilities.takesImages ? images : []),
    };
    const answer = await agent.ask("session/prompt", params);
    await journal.close();
    await recordPlan(session, turn.turn, heard);
    return toOutcome(session, runner, { answer, heard });
  } finally {
    seat.listen(undefined);
    await journal.close();
  }
}

const noImages = "The runner takes no images: it did not get those of the task.";

function toBlocks(text: string, images: RunnerTurn["images"]): Record<string, string>[] {
  const pictures = images.map(({ mediaType, data }) => ({
    type: "image",
    mimeType: mediaType,
    data,
  }));
  return [{ type: "text", text }, ...pictures];
}

/** Its last plan, for people. */
async function recordPlan(
  { steps, prefix }: Session,
  turn: number,
  { plan }: Heard,
): Promise<void> {
  if (plan.length === 0) return;
  const value = plan.map(({ content, status }) => ({ content, status }));
  await steps.do({ key: `${prefix}plan/${turn}`, kind: "note" }, async () => ({ value }));
}

function toOutcome(
  session: Session,
  runner: OpenRunner,
  { answer, heard }: { answer: Record<string, unknown>; heard: Heard },
): StepOutcome<RunnerReply> {
  const { stopReason } = answer;
  const usage = readUsage(answer);
  const cost = heard.usd === null || runner.usd === null ? null : heard.usd - runner.usd;
  runner.usd = heard.usd ?? runner.usd;
  const { tokens, usd } = session.budget.pools;
  tokens?.spend(usage.inputTokens + usage.outputTokens);
  usd?.spend(Math.max(0, cost ?? 0));
  const value: RunnerReply = {
    parts: heard.parts,
    finish: "stop",
    warnings: [],
    stopReason: typeof stopReason === "string" ? stopReason : "no reason",
    ...(heard.refused !== undefined && { refused: heard.refused }),
    ...(heard.isBroken === true && { error: session.said.text.trim().slice(0, 500) }),
  };
  return { value, usage, cost };
}
