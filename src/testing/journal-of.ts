import type { RunEvent } from "../run/event.ts";
import type { RunHandle } from "../runtime/run-handle.ts";
import { isRecord, type JsonValue } from "../source/json.ts";
import { createPlaceholders, hideTimes } from "../source/placeholders.ts";
import { requireHandle } from "./require-handle.ts";

/** The journal of a run and its descendants. Every execution of the same work gives the same one. */
export interface NormalisedJournal {
  agent: string;
  task: string;
  /** The parent's step that requested the run; `null` for a root run. */
  step: string | null;
  /** The events, without their run, number and time. */
  events: JsonValue[];
  /** The children, in the order of the steps that requested them. */
  children: NormalisedJournal[];
}

/**
 * Waits until a run has ended, and returns the journal of the run and its descendants for a snapshot.
 *
 * Placeholders replace ids (`<id-1>`), temporary folders (`<tmp-1>`), the project (`<project>`), hashes (`<hash-1>`), times and
 * durations. Their numbers follow the order of appearance. The events of simultaneous tool calls are in the order of the calls.
 *
 * @throws CadreError `invalid-argument` when `run` is not a run of `createCadre`.
 */
export async function journalOf(run: RunHandle): Promise<NormalisedJournal> {
  requireHandle(run, "journalOf");
  await run.result();
  const descendants = await run.descendants();
  const read = async (one: RunHandle): Promise<Recorded> => ({
    id: one.id,
    events: await one.journal(),
  });
  const all = await Promise.all([run, ...descendants].map(read));
  const workspace = specOf(all[0]?.events ?? []).workspace;
  const placeholders = createPlaceholders(workspace === "" ? {} : { project: workspace });
  const tree = buildTree(run.id, all);
  const hashes = new Map<string, string>();
  const hideHashes = (text: string): string =>
    text.replace(/\b[0-9a-f]{64}\b/g, (hash) => {
      const name = hashes.get(hash) ?? `<hash-${hashes.size + 1}>`;
      hashes.set(hash, name);
      return name;
    });
  const text = hideHashes(placeholders.hide(hideTimes(JSON.stringify(tree))));
  return JSON.parse(text) as NormalisedJournal;
}

interface Recorded {
  id: string;
  events: readonly RunEvent[];
}

function buildTree(id: string, all: readonly Recorded[]): NormalisedJournal {
  const events = all.find((one) => one.id === id)?.events ?? [];
  const { agent, task, parentStep } = specOf(events);
  const children = all
    .filter((one) => specOf(one.events).parentId === id)
    .toSorted((left, right) => compareSteps(stepOf(left), stepOf(right)))
    .map((one) => buildTree(one.id, all));
  return { agent, task, step: parentStep, events: orderCalls(events).map(strip), children };
}

function stepOf({ events }: Recorded): string {
  return specOf(events).parentStep ?? "";
}

function specOf(events: readonly RunEvent[]) {
  const [first] = events;
  return first?.type === "run-created"
    ? first.spec
    : { agent: "", task: "", parentId: null, parentStep: null, workspace: "" };
}

/** Compares step keys, with the numbers in them as numbers. */
function compareSteps(left: string, right: string): number {
  return left.localeCompare(right, "en", { numeric: true });
}

/** Sorts the events of consecutive tool calls by their calls. */
function orderCalls(events: readonly RunEvent[]): RunEvent[] {
  const ordered: RunEvent[] = [];
  let calls: { step: string; event: RunEvent }[] = [];
  const finish = (): void => {
    ordered.push(
      ...calls.toSorted((a, b) => compareSteps(a.step, b.step)).map(({ event }) => event),
    );
    calls = [];
  };
  for (const event of events) {
    const step = callOf(event);
    if (step === null) finish();
    if (step === null) ordered.push(event);
    else calls.push({ step, event });
  }
  finish();
  return ordered;
}

function callOf(event: RunEvent): string | null {
  if (event.type === "step-started") return event.key;
  if (event.type === "step-finished") return event.kind === "model" ? null : event.key;
  if (event.type === "approval-requested") return event.request.stepKey;
  return event.type === "approval-answered" ? event.stepKey : null;
}

const durations = new Set(["durationMs", "delayMs", "spentMs"]);
const times = new Set(["definitionsAsOf", "askedAt", "at"]);
const ids = new Set(["owner", "seal"]);

function strip({ runId: _runId, seq: _seq, at: _at, elapsedMs: _elapsedMs, ...event }: RunEvent) {
  return replaceNumbers(event as JsonValue);
}

function replaceNumbers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(replaceNumbers);
  if (!isRecord(value)) return value;
  const isCall = value["type"] === "tool-call";
  const entries = Object.entries(value as Record<string, JsonValue>).map(([key, item]) => {
    // Providers invent the ids of calls.
    if (isCall && key === "id") return [key, "<call>"];
    if (typeof item === "number" && durations.has(key)) return [key, "<duration>"];
    if (typeof item === "number" && times.has(key)) return [key, "<time>"];
    return [key, typeof item === "string" && ids.has(key) ? `<${key}>` : replaceNumbers(item)];
  });
  return Object.fromEntries(entries) as JsonValue;
}
