import type { RegistrySource } from "../registry/registry-source.ts";
import type { SeenWorker, WorkItem, WorkerRecord } from "../registry/work-table.ts";
import { selectWaiting, type WaitingFamily } from "../registry/waiting-family.ts";
import { requireWork } from "./require-work.ts";

/** A live worker and its families. */
export interface WorkerOverview extends WorkerRecord {
  /** The milliseconds since its last heartbeat. */
  silentMs: number;
  /** The ids of the root runs of the families that it executes. */
  families: string[];
}

/** The result of {@link listWork}. */
export interface WorkOverview {
  workers: WorkerOverview[];
  waiting: WaitingFamily[];
}

/**
 * Lists the live workers, and the families that wait for a worker.
 *
 * @throws CadreError `config-invalid` for a registry of one machine, or `registry-unavailable`.
 */
export async function listWork({
  registry: source,
}: {
  registry: RegistrySource;
}): Promise<WorkOverview> {
  const registry = source.openRegistry([]);
  try {
    const work = requireWork(registry);
    // Reads the families first, so that the list of workers has the worker of each of them.
    const items = await work.items();
    const workers = await work.workers();
    return {
      workers: workers.filter(({ isAlive }) => isAlive).map((worker) => toOverview(worker, items)),
      waiting: selectWaiting(items, workers),
    };
  } finally {
    await registry.close();
  }
}

function toOverview(worker: SeenWorker, items: readonly WorkItem[]): WorkerOverview {
  const { id, host, pid, label, concurrency, version, silentMs } = worker;
  const families = items.filter((item) => item.worker === id).map(({ rootId }) => rootId);
  return { id, host, pid, label, concurrency, version, silentMs, families };
}
