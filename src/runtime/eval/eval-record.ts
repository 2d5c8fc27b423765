import { appendFile, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { LoadedCase } from "../../eval/eval-file.ts";
import type { Trial } from "../../eval/eval-report.ts";
import { createOwner, type Owner } from "../../registry/owner.ts";
import type { Budget } from "../../run/budget.ts";

/** The settings and trials that an eval was started with. Plain JSON. */
export interface EvalStart {
  id: string;
  /** Epoch milliseconds. */
  at: number;
  /** The process that executes it. */
  owner: Owner;
  cases: readonly LoadedCase[];
  /** The number of planned trials. */
  trials: number;
  /** Settings that override those of the cases. A resume uses them again. */
  settings: EvalSettings;
  /** The recordings that it writes or reads. A resume uses them again in a trusted project. */
  recordings?: Recordings;
}

/** The folder of recordings, absolute, and whether they are written. */
export interface Recordings {
  folder: string;
  mode: "record" | "replay";
}

/** Settings of an eval that override its files. */
export interface EvalSettings {
  models?: readonly string[];
  repeat?: number;
  /** The number of concurrent trials. Default 4. */
  concurrency?: number;
  /** The budget of all runs of the eval together. */
  budget?: Budget;
}

/** A line in the file of an eval. */
export type EvalLine =
  | ({ type: "eval-started" } & EvalStart)
  | { type: "trial-graded"; trial: Trial }
  /** Another process, or another part of this one, asks the owner to end it. */
  | { type: "end-requested"; at: number }
  | { type: "eval-ended"; at: number; isInterrupted: boolean };

/** Records the progress of an eval, so that every process of the project can read it. */
export interface EvalRecorder {
  addTrial(trial: Trial): Promise<void>;
  /** Aborts when any process requests the end of the eval. */
  endRequested: AbortSignal;
  end(isInterrupted: boolean): Promise<void>;
}

/** How often the owner checks for a request, in milliseconds. */
const readIntervalMs = 200;

/** Returns the folder with a file for each eval of a project. */
export function evalRecordFolder(stateFolder: string): string {
  return join(stateFolder, "evals");
}

/** Returns the file of an eval. */
export function evalRecordPath(stateFolder: string, id: string): string {
  return join(evalRecordFolder(stateFolder), `${id}.jsonl`);
}

/** Begins the record of an eval, or continues that of a resumed one: a file of JSON lines that is only appended to. */
export async function beginRecord(
  stateFolder: string,
  start: Omit<EvalStart, "at" | "owner">,
): Promise<EvalRecorder> {
  const folder = evalRecordFolder(stateFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = evalRecordPath(stateFolder, start.id);
  // Trials that end at the same time must not mix their lines.
  let written = Promise.resolve();
  const add = async (line: EvalLine): Promise<void> => {
    written = written.then(async () => await addLine(path, line));
    await written;
  };
  await add({ type: "eval-started", at: Date.now(), owner: createOwner(), ...start });
  const requests = await watchForEnd(path);
  return {
    addTrial: async (trial) => await add({ type: "trial-graded", trial }),
    endRequested: requests.signal,
    async end(isInterrupted) {
      requests.stop();
      await add({ type: "eval-ended", at: Date.now(), isInterrupted });
    },
  };
}

/** Requests the end of an eval from its owner. */
export async function requestEnd(stateFolder: string, id: string): Promise<void> {
  await addLine(evalRecordPath(stateFolder, id), { type: "end-requested", at: Date.now() });
}

async function addLine(path: string, line: EvalLine): Promise<void> {
  // A process that was killed may have left half a line.
  await appendFile(path, `\n${JSON.stringify(line)}\n`, { mode: 0o600 });
}

/** Watches for lines that are added to the file of an eval. */
async function watchForEnd(path: string): Promise<{ signal: AbortSignal; stop: () => void }> {
  const requested = new AbortController();
  const file = await open(path);
  let { size: seen } = await file.stat();
  let rest = "";
  let isReading = false;
  async function readLines(): Promise<void> {
    const { size } = await file.stat();
    if (size <= seen) return;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - seen), 0, size - seen, seen);
    seen += bytesRead;
    // Byte by byte, so that an incomplete character is not lost.
    const lines = (rest + buffer.toString("latin1", 0, bytesRead)).split("\n");
    rest = lines.pop() ?? "";
    if (lines.some((line) => parseEvalLine(line)?.type === "end-requested")) {
      requested.abort(new Error("the eval was ended"));
    }
  }
  const timer = setInterval(() => {
    if (isReading) return;
    isReading = true;
    // A file that cannot be read now is read on the next check.
    readLines()
      .catch(() => undefined)
      .finally(() => (isReading = false));
  }, readIntervalMs).unref();
  return {
    signal: requested.signal,
    stop() {
      clearInterval(timer);
      file.close().catch(() => undefined);
    },
  };
}

/** Reads a line of the file of an eval; `undefined` for an incomplete line of a killed process. */
export function parseEvalLine(line: string): EvalLine | undefined {
  try {
    return line === "" ? undefined : (JSON.parse(line) as EvalLine);
  } catch {
    return undefined;
  }
}
