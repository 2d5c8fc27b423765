import { readdir, readFile, stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { CadreError } from "../../errors.ts";
import {
  type EvalReport,
  reportEval,
  type Trial,
  type TrialOutcome,
} from "../../eval/eval-report.ts";
import type { LoadedCase } from "../../eval/eval-file.ts";
import { defaultLeaseTimes, isOwnerAlive } from "../../registry/owner.ts";
import {
  type EvalLine,
  evalRecordFolder,
  evalRecordPath,
  type EvalStart,
  parseEvalLine,
  requestEnd,
} from "./eval-record.ts";

const ending = ".jsonl";

/** The state of an eval. An `interrupted` one was ended, or its process is gone; a resume continues it. */
export type EvalState = "running" | "finished" | "interrupted";

/** An eval in a list. */
export interface EvalOverview {
  id: string;
  state: EvalState;
  /** The outcome of the trials so far. */
  outcome: TrialOutcome;
  /** Epoch milliseconds. */
  startedAt: number;
  /** Epoch milliseconds; `null` = it has not ended, or its process is gone. */
  endedAt: number | null;
  /** The files of its cases, absolute. */
  files: readonly string[];
  /** The agents under test. */
  agents: readonly string[];
  /** The models of its trials so far. Trials without one use the default model. */
  models: readonly string[];
  /** The planned trials. */
  trials: number;
  /** The finished trials, by outcome. */
  passed: number;
  failed: number;
  errors: number;
  /** US dollars; `null` when a price is unknown. */
  cost: number | null;
  tokens: number;
}

/** An eval with its cases and its results so far. */
export interface RecordedEval {
  eval: EvalOverview;
  cases: readonly LoadedCase[];
  report: EvalReport;
}

/** Selects the evals to list. */
export interface EvalQuery {
  /** Default 50. */
  limit?: number;
  /** Only evals after the one with this id in the list. */
  before?: string;
}

/** Lists the evals of all processes of a project, newest first. */
export async function listEvals(
  stateFolder: string,
  { limit = 50, before }: EvalQuery = {},
): Promise<EvalOverview[]> {
  const found: EvalOverview[] = [];
  for (const id of await listIds(stateFolder)) {
    if (before !== undefined && id >= before) continue;
    if (found.length >= limit) break;
    const record = await readRecord(stateFolder, id);
    if (record !== undefined) found.push(toEval(record).eval);
  }
  return found;
}

/** Returns the ids of all evals, newest first: they sort by time. */
async function listIds(stateFolder: string): Promise<string[]> {
  const names = await readdir(evalRecordFolder(stateFolder)).catch(() => []);
  const ids = names.flatMap((name) =>
    name.endsWith(ending) ? [name.slice(0, -ending.length)] : [],
  );
  return ids.toSorted().toReversed();
}

/**
 * Reads an eval by its id, the part of the id after its dash, or `last` for the newest.
 *
 * @throws CadreError `invalid-argument` when none or several match.
 */
export async function readEval(stateFolder: string, id: string): Promise<RecordedEval> {
  return toEval(await requireRecord(stateFolder, id));
}

/**
 * Returns the settings and trials that an eval was started with.
 *
 * @throws CadreError `invalid-argument` when there is none, or it is running.
 */
export async function readEvalStart(stateFolder: string, id: string): Promise<EvalStart> {
  const record = await requireRecord(stateFolder, id);
  if (stateOf(record) !== "running") return record.start;
  const { pid, host } = record.start.owner;
  const message = `Expected an eval that has ended; ${record.start.id} is executed by process ${pid} of ${host}.`;
  throw new CadreError("invalid-argument", message);
}

/** How often to check whether an eval has ended, in milliseconds. */
const askEveryMs = 100;

/**
 * Ends an eval with its active runs, whichever process executes it. Resolves when it has ended: with `false` when it had already
 * ended, or finished all its trials.
 *
 * @throws CadreError `invalid-argument` when there is none.
 */
export async function cancelEval(stateFolder: string, id: string): Promise<boolean> {
  let record = await requireRecord(stateFolder, id);
  if (stateOf(record) !== "running") return false;
  await requestEnd(stateFolder, record.start.id);
  while (stateOf(record) === "running") {
    await delay(askEveryMs);
    record = await requireRecord(stateFolder, record.start.id);
  }
  return stateOf(record) === "interrupted";
}

interface EvalRecord {
  start: EvalStart;
  trials: readonly Trial[];
  end: Extract<EvalLine, { type: "eval-ended" }> | undefined;
  /** The milliseconds since its process wrote the last line. */
  silentMs: number;
}

async function requireRecord(stateFolder: string, id: string): Promise<EvalRecord> {
  const ids = await listIds(stateFolder);
  const isWanted = (one: string): boolean => one === id || one.endsWith(`-${id}`);
  const matching = id === "last" ? ids.slice(0, 1) : ids.filter(isWanted);
  const [match] = matching;
  const record =
    match === undefined || matching.length > 1 ? undefined : await readRecord(stateFolder, match);
  if (record !== undefined) return record;
  const came = matching.length > 1 ? `which ${matching.length} of them have` : "which none has";
  const message = `Expected the id of an eval of this project; got ${JSON.stringify(id)}, ${came}.`;
  throw new CadreError("invalid-argument", message);
}

/** Returns `undefined` for a file that does not begin with the eval of its name, whose id also names folders. */
async function readRecord(stateFolder: string, id: string): Promise<EvalRecord | undefined> {
  const path = evalRecordPath(stateFolder, id);
  const [text, status] = await Promise.all([
    readFile(path, "utf8").catch(() => ""),
    stat(path).catch(() => undefined),
  ]);
  let start: EvalStart | undefined;
  let end: EvalRecord["end"];
  const trials = new Map<string, Trial>();
  for (const line of readLines(text)) {
    if (line.type === "eval-started") {
      // A resume grades finished trials again.
      [start, end] = [line, undefined];
    } else if (line.type === "trial-graded") {
      const { case: name, model, number } = line.trial;
      trials.set(JSON.stringify([name, model, number]), line.trial);
    } else if (line.type === "eval-ended") {
      end = line;
    }
  }
  if (start?.id !== id) return undefined;
  const silentMs = Date.now() - (status?.mtimeMs ?? 0);
  return { start, trials: [...trials.values()], end, silentMs };
}

function readLines(text: string): EvalLine[] {
  return text.split("\n").flatMap((line) => parseEvalLine(line) ?? []);
}

function stateOf({ start, end, silentMs }: EvalRecord): EvalState {
  if (end !== undefined) return end.isInterrupted ? "interrupted" : "finished";
  return isOwnerAlive(start.owner, silentMs, defaultLeaseTimes) ? "running" : "interrupted";
}

function toEval(record: EvalRecord): RecordedEval {
  const { start, trials, end } = record;
  const state = stateOf(record);
  const { id, cases } = start;
  const report = reportEval(id, cases, trials, state === "interrupted");
  const count = (outcome: TrialOutcome): number =>
    trials.filter((trial) => trial.outcome === outcome).length;
  const models = trials.flatMap(({ model }) => (model === null ? [] : [model]));
  return {
    eval: {
      id,
      state,
      outcome: report.outcome,
      startedAt: start.at,
      endedAt: end?.at ?? null,
      files: [...new Set(cases.map(({ path }) => path))],
      agents: [...new Set(cases.map(({ agent }) => agent))],
      models: [...new Set(models)],
      trials: start.trials,
      passed: count("pass"),
      failed: count("fail"),
      errors: count("error"),
      cost: report.cost,
      tokens: report.tokens,
    },
    cases,
    report,
  };
}
