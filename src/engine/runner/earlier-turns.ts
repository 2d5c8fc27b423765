import type { JsonObject } from "../../source/json.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { interruptedOutcome } from "../tool-call/tool-step.ts";
import type { RunContext } from "../run-context/run-context.ts";

/** The actions of an earlier process in an unfinished turn. */
export interface EarlierTurns {
  /** How often the turn was started. */
  begun: number;
  /** The session in which it was last started; absent when that session belongs to another run. */
  sessionId?: string;
  /** The reported tool calls, in order. */
  calls: readonly EarlierCall[];
  /** The number of its next call. */
  nextCall: number;
}

/** A call and its outcome. */
export interface EarlierCall {
  title: string;
  end: "done" | "failed" | "interrupted";
}

/** The note that records the start of a turn. */
export interface TurnNote {
  runId: string;
  sessionId: string;
  /** The runner's name and version, for display. */
  runner: string | null;
}

/** Returns the key of the note that records the `time`-th start of the turn `turn`, written before the prompt is sent. */
export function noteKey(
  { prefix }: Pick<RunContext, "prefix">,
  turn: number,
  time: number,
): string {
  return `${prefix}prompt/${turn}/${time}`;
}

/** Returns the prefix of the step keys of a turn's calls. A number follows it. */
export function callKeys({ prefix }: Pick<RunContext, "prefix">, turn: number): string {
  return `${prefix}tool/${turn}/`;
}

/** Reads an unfinished turn. Active calls are recorded as interrupted. */
export async function readEarlierTurns(run: RunContext, turn: number): Promise<EarlierTurns> {
  const notes = await readNotes(run, turn);
  const note = notes.findLast(({ runId }) => runId === run.spec.id);
  const sessionId = note === undefined ? {} : { sessionId: note.sessionId };
  if (notes.length === 0) return { begun: 0, calls: [], nextCall: 0 };
  const keys = callKeys(run, turn);
  const titles = new Map<string, string>();
  const outcomes = new Map<string, ToolOutcome>();
  for (const event of await run.registry.events(run.spec.id)) {
    if (!("key" in event) || !event.key.startsWith(keys)) continue;
    if (event.type === "step-started") titles.set(event.key, event.title);
    if (event.type === "step-finished") {
      outcomes.set(event.key, event.value as unknown as ToolOutcome);
    }
  }
  const calls = [...titles].map(([key, title]): EarlierCall => {
    const outcome = outcomes.get(key) ?? interrupt(run, key, title);
    const isInterrupted = outcome.text === interruptedOutcome(title).text;
    const end = isInterrupted ? "interrupted" : outcome.isError === true ? "failed" : "done";
    return { title, end };
  });
  const numbers = [...titles.keys()].map((key) => Number(key.slice(keys.length)));
  return { begun: notes.length, ...sessionId, calls, nextCall: Math.max(-1, ...numbers) + 1 };
}

async function readNotes(run: RunContext, turn: number): Promise<TurnNote[]> {
  const notes: TurnNote[] = [];
  for (let time = 1; ; time += 1) {
    const key = noteKey(run, turn, time);
    if (!run.steps.isRecorded(key)) return notes;
    notes.push(await run.steps.do<TurnNote>({ key, kind: "note" }, unrecorded));
  }
}

function unrecorded(): Promise<never> {
  return Promise.reject(new Error("a step that is recorded is not done again"));
}

function interrupt({ registry, spec }: RunContext, key: string, title: string): ToolOutcome {
  const value = interruptedOutcome(title);
  registry.append(spec.id, {
    type: "step-finished",
    key,
    kind: "tool",
    value: value as unknown as JsonObject,
    durationMs: 0,
  });
  return value;
}
