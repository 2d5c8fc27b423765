import { setTimeout as delay } from "node:timers/promises";
import { readProcess } from "../../../src/source/read-process.ts";
import type { Project, Started } from "../../cli/command-line.ts";
import { readPrintedWork, startReadyWorker } from "../../fixtures/postgres/worker-fixture.ts";
import type { Random } from "./random.ts";

/** Worker processes that are repeatedly killed or stopped. */
export interface DisturbedWorkers {
  /** The number of kills. */
  kills: number;
  /** The number of times that a worker with families was stopped until another one had taken them over. */
  stops: number;
  /** Rejects when a worker does not start. */
  failed: Promise<never>;
  /** Stops disturbing the workers. Resolves when all of them work. */
  rest(): Promise<void>;
}

/** The number of workers of each kind, and how long they are disturbed. */
export interface Disturbance {
  killed: number;
  stopped: number;
  maxKills: number;
  maxStops: number;
}

/** Starts workers in `project` and disturbs them at moments that `random` chooses. */
export async function disturbWorkers(
  project: Project,
  random: Random,
  { killed, stopped, maxKills, maxStops }: Disturbance,
): Promise<DisturbedWorkers> {
  const startWorker = async (): Promise<Started> =>
    await startReadyWorker(project, "--trust", "--concurrency", "8");
  const resting = new AbortController();
  const { signal } = resting;
  const failed = Promise.withResolvers<never>();
  const workers: DisturbedWorkers = {
    kills: 0,
    stops: 0,
    failed: failed.promise,
    async rest() {
      resting.abort();
      await Promise.all(lanes);
    },
  };

  async function killAgainAndAgain(first: Started): Promise<void> {
    for (let worker = first; !signal.aborted && workers.kills < maxKills;) {
      await delay(random.below(1500));
      worker.child.kill("SIGKILL");
      await worker.ended;
      workers.kills += 1;
      worker = await startWorker();
    }
  }

  /** Returns the families that the worker executes, and whether the others consider it alive. */
  async function readState({ child }: Started): Promise<{ isAlive: boolean; families: string[] }> {
    const found = (await readPrintedWork(project)).workers.find(({ pid }) => pid === child.pid);
    return { isAlive: found !== undefined, families: found?.families ?? [] };
  }

  async function stopAgainAndAgain(worker: Started): Promise<void> {
    while (!signal.aborted && workers.stops < maxStops) {
      if ((await readState(worker)).families.length === 0) {
        await delay(200);
        continue;
      }
      worker.child.kill("SIGSTOP");
      while (readProcess(worker.child.pid ?? 0)?.isStopped !== true) await delay(5);
      while ((await readState(worker)).isAlive) await delay(500);
      workers.stops += 1;
      worker.child.kill("SIGCONT");
      // Waits until it has renewed its lease and takes families again.
      while (!signal.aborted && !(await readState(worker)).isAlive) await delay(200);
    }
  }

  const all = await Promise.all(Array.from({ length: killed + stopped }, startWorker));
  const lanes = [
    ...all.slice(0, killed).map(killAgainAndAgain),
    ...all.slice(killed).map(stopAgainAndAgain),
  ];
  Promise.all(lanes).catch(failed.reject);
  return workers;
}
