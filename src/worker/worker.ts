// A worker: takes families that other processes submitted, and executes them.

import { homedir } from "node:os";
import { resolve } from "node:path";
import { userStateFolder } from "../config/state-folder.ts";
import { connectDbos } from "../engine/dispatch/dbos/connect-dbos.ts";
import type { Dispatcher } from "../engine/dispatch/dispatcher.ts";
import { readLabel } from "../engine/dispatch/read-label.ts";
import { CadreError } from "../errors.ts";
import { createOwner } from "../registry/owner.ts";
import type { RegistrySource } from "../registry/registry-source.ts";
import type { Registry } from "../registry/registry.ts";
import type { WorkTable, WorkerRecord } from "../registry/work-table.ts";
import type { CadreOptions } from "../runtime/cadre.ts";
import { findHiddenFolders } from "../runtime/state/hidden-folders.ts";
import { realPathOf } from "../source/file/real-path.ts";
import { readVersion } from "../version.ts";
import { createCadrePool } from "./cadre-pool.ts";
import { createActiveFamilies } from "./active-families.ts";
import type { FamilyFilesOptions } from "./files/execute-in-checkout.ts";
import { removeLeftCheckouts } from "./files/open-checkout.ts";
import { repeat } from "./repeat.ts";
import { requireWork } from "./require-work.ts";
import { createSweep } from "./sweep.ts";

/**
 * Options of {@link startWorker}. The options of `createCadre` set this worker's rights, keys, tools and agents, and apply to
 * every family. A submission names the folder, the default model and additional agent files.
 */
export interface WorkerOptions extends Omit<
  CadreOptions,
  "cwd" | "agentFiles" | "registry" | "engine" | "executes" | "onApproval"
> {
  /** `postgres()` of `cadre/postgres`: the registry that the workers share. */
  registry: RegistrySource;
  /**
   * The maximum number of families executed at once. The last worker to start with a label sets the number for that label.
   * Default 16.
   */
  concurrency?: number;
  /** Takes only families that need this label. Default: families that need no label. */
  label?: string;
  /**
   * The git repositories from which the worker gets the files of families: addresses, or address prefixes that end at a slash. It
   * refuses a family with files from any other repository. Default: none.
   */
  clones?: readonly string[];
  /** Receives a line about each family that this worker cannot execute or leaves to others, and about each lost connection. */
  onNote?: (line: string) => void;
}

/** The worker of this process. */
export interface Worker {
  readonly id: string;
  /** Aborts, with the error as its reason, when a newer Cadre has migrated the registry. Stop this worker then, and update it. */
  readonly failed: AbortSignal;
  /**
   * Takes no more families, and waits up to `drainSeconds` (default 0) for those that it executes. Other workers continue the
   * rest at once.
   */
  stop(options?: { drainSeconds?: number }): Promise<void>;
}

/** How often a worker writes a heartbeat, in milliseconds. */
const beatMs = 3000;
/** How often it looks for families of dead workers, in milliseconds. */
const sweepMs = 500;
/** How often it looks for families that the queue lost, in milliseconds. */
const lostSweepMs = 10_000;
/** How long abandoned executions may take to end, in milliseconds. */
const leaveMs = 10_000;

let isWorking = false;

/**
 * Starts the worker of this process. A process can have only one.
 *
 * @throws CadreError `config-invalid` for a registry of one machine, when DBOS Transact is not installed, or when this process has a
 * worker; `invalid-argument` for an option with a wrong value; `registry-unavailable`.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { registry: source, concurrency = 16, label, onNote = () => undefined, ...more } = options;
  const { clones = [], ...rest } = more;
  checkConcurrency(concurrency);
  checkClones(clones);
  const own = { concurrency, label: readLabel(label) ?? null };
  if (isWorking)
    throw new CadreError(
      "config-invalid",
      "This process already has a worker. Stop it before you start another one.",
    );
  isWorking = true;
  const registry = source.openRegistry([]);
  let dispatcher: Dispatcher | undefined;
  try {
    const work = requireWork(registry);
    // Detects a wrong address or missing tables of the registry early.
    await work.countWaiting(0);
    dispatcher = await connectDbos(work.address);
    const cadres = { ...rest, registry: source };
    return await begin({ registry, source, work, dispatcher, cadres, clones, onNote, ...own });
  } catch (error) {
    isWorking = false;
    await dispatcher?.close();
    await registry.close();
    throw error;
  }
}

interface Parts {
  registry: Registry;
  work: WorkTable;
  dispatcher: Dispatcher;
  cadres: CadreOptions;
  source: RegistrySource;
  clones: readonly string[];
  concurrency: number;
  label: string | null;
  onNote: (line: string) => void;
}

async function begin(parts: Parts): Promise<Worker> {
  const { registry, work, dispatcher, concurrency, label, onNote } = parts;
  const record = describeWorker({ concurrency, label });
  const workerId = record.id;
  const cadres = createCadrePool(parts.cadres);
  const files = describeFiles(parts, workerId);
  const families = createActiveFamilies({
    registry,
    files,
    work,
    dispatcher,
    cadres,
    workerId,
    concurrency,
    onNote,
  });
  const sweep = createSweep({ work, dispatcher, families, workerId, label });
  await work.beat(record);
  const alive = (await work.workers()).filter(({ isAlive }) => isAlive);
  await removeLeftCheckouts(files, [workerId, ...alive.map(({ id }) => id)]);
  await dispatcher.work(families.execute, { workerId, label, concurrency });
  const failure = new AbortController();
  const loops = [
    repeat(beatMs, async () => await beat(), onNote),
    repeat(sweepMs, sweep.takeOver, onNote),
    repeat(lostSweepMs, sweep.requeueLost, onNote),
  ];

  async function beat(): Promise<void> {
    try {
      await work.beat(record);
    } catch (error) {
      if (error instanceof CadreError && error.code === "registry-newer") failure.abort(error);
      throw error;
    }
  }

  async function stop(drainSeconds: number): Promise<void> {
    const resting = dispatcher.rest(drainSeconds * 1000 + leaveMs);
    families.stop();
    await families.idle(drainSeconds * 1000);
    await cadres.leave();
    await families.idle(leaveMs);
    await resting;
    await Promise.all(loops.map(async (end) => await end()));
    await work.leave([workerId]).catch(() => undefined);
    await dispatcher.close();
    await registry.close();
    isWorking = false;
  }

  let stopping: Promise<void> | undefined;
  return {
    id: workerId,
    failed: failure.signal,
    async stop({ drainSeconds = 0 } = {}) {
      await (stopping ??= stop(drainSeconds));
    },
  };
}

/** Returns where this worker keeps files that come through git. */
function describeFiles({ source, clones, cadres }: Parts, workerId: string): FamilyFilesOptions {
  const { home = homedir(), environment = process.env } = cadres;
  const user = { home: resolve(home), environment };
  const stateFolder = realPathOf(userStateFolder(user));
  const hiddenFolders = findHiddenFolders(user, stateFolder);
  return { source, clones, workerId, stateFolder, shell: { ...user, hiddenFolders } };
}

function checkClones(clones: readonly unknown[]): void {
  if (Array.isArray(clones) && clones.every((one) => typeof one === "string" && one !== "")) return;
  const message = `Expected \`clones\` to be a list of addresses of git repositories; got ${JSON.stringify(clones)}.`;
  throw new CadreError("invalid-argument", message);
}

function describeWorker(own: Pick<WorkerRecord, "concurrency" | "label">): WorkerRecord {
  const { id, host, pid } = createOwner();
  return { id, host, pid, version: readVersion(), ...own };
}

function checkConcurrency(concurrency: unknown): void {
  if (Number.isInteger(concurrency) && Number(concurrency) >= 1) return;
  const message = `Expected \`concurrency\` to be a whole number from 1; got ${JSON.stringify(concurrency)}.`;
  throw new CadreError("invalid-argument", message);
}
