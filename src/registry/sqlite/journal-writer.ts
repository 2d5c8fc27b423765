import type { DatabaseSync } from "node:sqlite";
import type { RunEventType } from "../../run/event.ts";
import type { Run } from "../../run/run.ts";
import type { JournalItem } from "../journal/journal.ts";
import { leaseLost } from "../journal/lease-lost.ts";
import { transact } from "./open-database.ts";

/**
 * The events that change the status of a run: after each of them the run's row is rewritten. After other events it is
 * rewritten at most once in `rowMs`. Readers apply the later events of the journal to the row (`run-queries.ts`). So a
 * step costs one row instead of two, and a reader never applies a long journal.
 */
const rowEvents: ReadonlySet<RunEventType> = new Set([
  "run-created",
  "dependencies-settled",
  "run-started",
  "approval-requested",
  "approval-answered",
  "run-finished",
]);

/** The shortest time between two writes of a row whose status did not change, in milliseconds. */
const rowMs = 1000;

/** The options of {@link createJournalWriter}. */
export interface JournalWriterOptions {
  ownerId: string;
  /** Called before each write; throws to prevent it. */
  check: () => void;
}

/**
 * Returns a function that writes items in one transaction: every event, and one row for each run whose row is due.
 *
 * The function throws `lease-lost` when `ownerId` is no longer in the list of owners: another process has taken over,
 * and a write could contradict its events.
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
    `INSERT INTO runs (id, root_id, parent_id, parent_step, label, agent, status, created_at, ended_at, owner, state, made_from, conversation, own)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    const state = JSON.stringify({ ...run, own: undefined });
    const own = JSON.stringify(run.own);
    if (isNew) {
      const keys = [id, rootId, parentId, parentStep, label, agent] as const;
      const madeFrom = run.lineage?.runId ?? run.continues ?? null;
      const conversation = parentId === null ? (run.conversation ?? rootId) : null;
      const origin = [madeFrom, conversation] as const;
      insertRun.run(...keys, status, createdAt, endedAt, ownerId, state, ...origin, own);
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
