import { omitUndefined } from "../omit-undefined.ts";
import type { SeenWorker, WorkItem, WorkTable } from "./work-table.ts";

/** A family that waits for a worker. */
export interface WaitingFamily {
  rootId: string;
  /** The label that a worker needs; `null` = none. */
  label: string | null;
  /** From -100 to 100. Families with a higher priority are taken first. */
  priority: number;
  waitedMs: number;
  /** The milliseconds until a worker may take it; `null` = now. */
  startsInMs: number | null;
  /** Why no live worker can execute it, or which runs it waits for; `null` = it waits for a free slot or its start time. */
  reason: string | null;
}

/** Lists the families that wait for a worker, or only the family `rootId`, in the order of the queue. */
export async function readWaiting(
  work: Pick<WorkTable, "items" | "workers">,
  rootId?: string,
): Promise<WaitingFamily[]> {
  // Reads the families first, so that the list of workers has the worker of each of them.
  const items = await work.items(omitUndefined({ rootId }));
  return items.length === 0 ? [] : selectWaiting(items, await work.workers());
}

/** Returns the families of `items` that wait for a worker: they have not ended, and no live worker executes them. */
export function selectWaiting(
  items: readonly WorkItem[],
  workers: readonly SeenWorker[],
): WaitingFamily[] {
  return items.map((item) => toWaiting(item, workers)).filter((family) => family !== undefined);
}

function toWaiting(item: WorkItem, workers: readonly SeenWorker[]): WaitingFamily | undefined {
  const { rootId, label, priority, startsInMs } = item;
  const taker = workers.find(({ id }) => id === item.worker);
  if (item.isEnded || taker?.isAlive === true) return undefined;
  // A family whose worker died has waited since that worker's last heartbeat.
  const waitedMs = Math.min(item.waitedMs, taker?.silentMs ?? item.waitedMs);
  const reason = findReason(item, workers);
  return { rootId, label, priority, waitedMs, startsInMs, reason };
}

function describeAwaited(ids: readonly string[]): string {
  const more = ids.length > 5 ? ` and ${ids.length - 5} more` : "";
  return `It depends on runs that have not ended: ${ids.slice(0, 5).join(", ")}${more}.`;
}

/** Returns why no live worker can execute a family. */
function findReason(
  { label, refusals, awaits }: WorkItem,
  workers: readonly SeenWorker[],
): string | null {
  if (awaits !== null && awaits.length > 0) return describeAwaited(awaits);
  const live = workers.filter(({ isAlive }) => isAlive);
  const fitting = live.filter((worker) => worker.label === label);
  if (fitting.length === 0) {
    const other = live.length === 0 ? "" : " without a label";
    return label === null
      ? `No worker${other} is alive. Start one: cadre worker`
      : `No worker with the label ${label} is alive. Start one: cadre worker --label ${label}`;
  }
  const reasons = fitting.map(({ id }) => refusals.find(({ worker }) => worker === id)?.reason);
  if (reasons.includes(undefined)) return null;
  return `No worker can execute it: ${[...new Set(reasons)].join(" ")}`;
}
