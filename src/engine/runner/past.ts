import type { JsonObject } from "../../source/json.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { interruptedOutcome } from "../call-tool.ts";
import type { Session } from "../session.ts";

/** What an earlier process did in a turn that it did not finish. */
export interface Past {
  /** How often the turn was begun. */
  begun: number;
  /** The session it was last begun in; absent when it belongs to another run. */
  sessionId?: string;
  /** The calls of tools that were reported, in order. */
  calls: readonly PastCall[];
  /** The number of its next call. */
  nextCall: number;
}

/** A call, and what became of it. */
export interface PastCall {
  title: string;
  end: "done" | "failed" | "interrupted";
}

/** What a note about the beginning of a turn holds. */
export interface TurnNote {
  runId: string;
  sessionId: string;
  /** What was asked, for people: its own name and version. */
  runner: string | null;
}

/** The key of the note that the turn `turn` was begun for the `time`-th time, written before the runner is asked. */
export function noteKey({ prefix }: Pick<Session, "prefix">, turn: number, time: number): string {
  return `${prefix}prompt/${turn}/${time}`;
}

/** What the keys of the calls of a turn begin with; their number follows. */
export function callKeys({ prefix }: Pick<Session, "prefix">, turn: number): string {
  return `${prefix}tool/${turn}/`;
}

/** Reads what was begun of a turn; calls that were under way are recorded as interrupted. */
export async function readPast(session: Session, turn: number): Promise<Past> {
  const notes = await readNotes(session, turn);
  const note = notes.findLast(({ runId }) => runId === session.spec.id);
  const sessionId = note === undefined ? {} : { sessionId: note.sessionId };
  if (notes.length === 0) return { begun: 0, calls: [], nextCall: 0 };
  const keys = callKeys(session, turn);
  const titles = new Map<string, string>();
  const outcomes = new Map<string, ToolOutcome>();
  for (const event of await session.registry.events(session.spec.id)) {
    if (!("key" in event) || !event.key.startsWith(keys)) continue;
    if (event.type === "step-started") titles.set(event.key, event.title);
    if (event.type === "step-finished") {
      outcomes.set(event.key, event.value as unknown as ToolOutcome);
    }
  }
  const calls = [...titles].map(([key, title]): PastCall => {
    const outcome = outcomes.get(key) ?? interrupt(session, key, title);
    const isInterrupted = outcome.text === interruptedOutcome(title).text;
    const end = isInterrupted ? "interrupted" : outcome.isError === true ? "failed" : "done";
    return { title, end };
  });
  const numbers = [...titles.keys()].map((key) => Number(key.slice(keys.length)));
  return { begun: notes.length, ...sessionId, calls, nextCall: Math.max(-1, ...numbers) + 1 };
}

async function readNotes(session: Session, turn: number): Promise<TurnNote[]> {
  const notes: TurnNote[] = [];
  for (let time = 1; ; time += 1) {
    const key = noteKey(session, turn, time);
    if (!session.steps.isRecorded(key)) return notes;
    notes.push(await session.steps.do<TurnNote>({ key, kind: "note" }, unrecorded));
  }
}

function unrecorded(): Promise<never> {
  return Promise.reject(new Error("a step that is recorded is not done again"));
}

function interrupt({ registry, spec }: Session, key: string, title: string): ToolOutcome {
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
