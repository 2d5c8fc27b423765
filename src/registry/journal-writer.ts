import type { DatabaseSync } from "node:sqlite";
import type { RunEvent, RunEventType } from "../run/event.ts";
import type { Run } from "../run/run.ts";
import { leaseLost } from "./leases.ts";
import { transact } from "./open-database.ts";

/** One thing to be made durable: an event with the run as it is after it, or a definition. */
export type JournalItem =
  | { event: RunEvent; data: string; run: Run }
  | { definition: string; hash: string; at: number };

/**
 * The events after which the row of a run is written anew: those that change its status. After others it is when it was
 * not for `rowMs`. What came since is read from the journal by whoever reads the row (`run-queries.ts`), so that a step
 * costs one row and not two, and a reader reads no long journals.
 */
const rowEvents: ReadonlySet<RunEventType> = new Set([
  "run-created",
  "dependencies-settled",
  "run-started",
  "approval-requested",
  "approval-answered",
  "run-finished",
]);

const rowMs = 1000;

/** What {@link createJournalWriter} needs. */
export interface JournalWriterOptions {
  ownerId: string;
  /** Called before each write; throws when nothing must be written any more. */
  check: () => void;
}

/**
 * Returns the function that writes items in one transaction: every event, and each run whose status changed once, as
 * it is now.
 *
 * It throws `lease-lost` when `ownerId` is not among the owners any more: another process took this one for dead, and
 * whatever it would write now could contradict what the other wrote.
 */
export function createJournalWriter(
  database: DatabaseSync,
  { ownerId, check }: JournalWriterOptions,
): (items: readonly JournalItem[]) => void {
  const isOwner = database.prepare("SELECT 1 FROM owners WHERE id = ?");
  const insertEvent = database.prepare(
    "INSERT INTO events (run_id, seq, at, type, data) VALUES (?, ?, ?, ?, ?)",
  );
  const insertRun = database.prepare(
    `INSERT INTO runs (id, root_id, parent_id, parent_step, label, agent, status, created_at, ended_at, owner, state, made_from, own)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const updateRun = database.prepare(
    "UPDATE runs SET status = ?, ended_at = ?, state = ?, own = ? WHERE id = ? AND owner = ?",
  );
  const insertDefinition = database.prepare(
    `INSERT INTO definitions (hash, data, used_at) VALUES (?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at`,
  );

  const rowWrittenAt = new Map<string, number>();

  function writeRun(run: Run, isNew: boolean): void {
    if (run.endedAt === null) rowWrittenAt.set(run.id, run.lastEventAt);
    else rowWrittenAt.delete(run.id);
    const { id, rootId, parentId, parentStep, label, agent, status, createdAt, endedAt } = run;
    const { own: figures, ...rest } = run;
    const [state, own] = [JSON.stringify(rest), JSON.stringify(figures)];
    if (isNew) {
      const keys = [id, rootId, parentId, parentStep, label, agent] as const;
      const madeFrom = run.lineage?.runId ?? null;
      insertRun.run(...keys, status, createdAt, endedAt, ownerId, state, madeFrom, own);
    } else if (updateRun.run(status, endedAt, state, own, id, ownerId).changes === 0) {
      throw leaseLost();
    }
  }

  function writeAll(items: readonly JournalItem[]): void {
    if (isOwner.get(ownerId) === undefined) throw leaseLost();
    const touched = new Map<string, Run>();
    const created = new Set<string>();
    for (const item of items) {
      if ("definition" in item) {
        insertDefinition.run(item.hash, item.definition, item.at);
        continue;
      }
      const { event, data, run } = item;
      insertEvent.run(event.runId, event.seq, event.at, event.type, data);
      const isStale = event.at - (rowWrittenAt.get(run.id) ?? 0) >= rowMs;
      if (isStale || rowEvents.has(event.type)) touched.set(run.id, run);
      if (event.type === "run-created") created.add(run.id);
    }
    for (const run of touched.values()) writeRun(run, created.has(run.id));
  }

  return (items) => {
    check();
    transact(database, () => writeAll(items));
  };
}
