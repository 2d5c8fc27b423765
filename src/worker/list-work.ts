import type { RegistrySource } from "../registry/registry-source.ts";
import type { SeenWorker, WorkItem, WorkerRecord } from "../registry/work-table.ts";
import { requireWork } from "./require-work.ts";

/** A living worker and its families. */
export interface WorkerOverview extends WorkerRecord {
  /** The milliseconds since its last heartbeat. */
  silentMs: number;
  /** The ids of the root runs of the families that it executes. */
  families: string[];
}

/** A family that waits for a worker. */
export interface WaitingFamily {
  rootId: string;
  /** The label that a worker needs; `null` = none. */
  label: string | null;
  /** Families of a higher priority are taken first: from -100 to 100. */
  priority: number;
  waitedMs: number;
  /** The milliseconds until a worker may take it; `null` = it may be taken now. */
  startsInMs: number | null;
  /** Why no living worker can execute it; `null` = it waits for one that has a free slot, or for its start. */
  reason: string | null;
}

/** The result of {@link listWork}. */
export interface WorkOverview {
  workers: WorkerOverview[];
  waiting: WaitingFamily[];
}

/**
 * Lists the living workers, and the families that wait for a worker.
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
    const workers = (await work.workers()).filter(({ isAlive }) => isAlive);
    const items = await work.items();
    const waiting = items.filter(({ worker, isEnded }) => worker === null && !isEnded);
    return {
      workers: workers.map((worker) => toOverview(worker, items)),
      waiting: waiting.map((item) => toWaiting(item, workers)),
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

function toWaiting(item: WorkItem, workers: readonly SeenWorker[]): WaitingFamily {
  const { rootId, label, priority, waitedMs, startsInMs } = item;
  const reason = findReason(item, workers);
  return { rootId, label, priority, waitedMs, startsInMs, reason };
}

/** Returns why none of these workers can execute a family. */
function findReason({ label, refusals }: WorkItem, workers: readonly SeenWorker[]): string | null {
  const fitting = workers.filter((worker) => worker.label === label);
  if (fitting.length === 0) {
    return label === null
      ? "No worker without a label is alive. Start one: cadre worker"
      : `No worker with the label ${label} is alive. Start one: cadre worker --label ${label}`;
  }
  const reasons = fitting.map(({ id }) => refusals.find(({ worker }) => worker === id)?.reason);
  if (reasons.includes(undefined)) return null;
  return `No worker can execute it: ${[...new Set(reasons)].join(" ")}`;
}
