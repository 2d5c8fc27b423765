import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { LoadedCase } from "../../eval/eval-file.ts";
import type { Trial } from "../../eval/eval-report.ts";
import { createOwner, type Owner } from "../../registry/owner.ts";
import type { Budget } from "../../run/budget.ts";

/** What an eval was started with. Plain JSON. */
export interface EvalStart {
  id: string;
  /** Epoch milliseconds. */
  at: number;
  /** The process that executes it. */
  owner: Owner;
  cases: readonly LoadedCase[];
  /** The number of planned trials. */
  trials: number;
  /** Settings instead of those of the cases, with which a resume continues. */
  settings: EvalSettings;
}

/** Settings of an eval that override its files. */
export interface EvalSettings {
  models?: readonly string[];
  repeat?: number;
  /** The trials at a time. Default 4. */
  concurrency?: number;
  /** For all runs of the eval together. */
  budget?: Budget;
}

/** A line of the file of an eval. */
export type EvalLine =
  | ({ type: "eval-started" } & EvalStart)
  | { type: "trial-graded"; trial: Trial }
  | { type: "eval-ended"; at: number; isInterrupted: boolean };

/** Records what an eval finds, so that every process of the project can read it. */
export interface EvalRecorder {
  addTrial(trial: Trial): Promise<void>;
  end(isInterrupted: boolean): Promise<void>;
}

/** Returns the folder with a file for each eval of a project. */
export function evalRecordFolder(stateFolder: string): string {
  return join(stateFolder, "evals");
}

/** Begins the record of an eval, or goes on with that of a resumed one: a file of lines of JSON, which are only ever added. */
export async function beginRecord(
  stateFolder: string,
  start: Omit<EvalStart, "at" | "owner">,
): Promise<EvalRecorder> {
  const folder = evalRecordFolder(stateFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${start.id}.jsonl`);
  // Trials that end at the same time must not mix their lines.
  let written = Promise.resolve();
  const add = async (line: EvalLine): Promise<void> => {
    // A process that was killed may have left half a line.
    const text = `\n${JSON.stringify(line)}\n`;
    written = written.then(async () => await appendFile(path, text, { mode: 0o600 }));
    await written;
  };
  await add({ type: "eval-started", at: Date.now(), owner: createOwner(), ...start });
  return {
    addTrial: async (trial) => await add({ type: "trial-graded", trial }),
    end: async (isInterrupted) => await add({ type: "eval-ended", at: Date.now(), isInterrupted }),
  };
}
