import type { DatabaseSync } from "node:sqlite";
import type { Run } from "../../run/run.ts";
import { createDueRows, toColumns } from "../journal/due-rows.ts";
import type { JournalItem } from "../journal/journal.ts";
import { leaseLost } from "../journal/lease-lost.ts";
import { transact } from "./open-database.ts";

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

  const selectRows = createDueRows();

  function insertRow(run: Run): void {
    const { id, rootId, parentId, parentStep, label, agent, status, createdAt, endedAt } = run;
    const { state, own, madeFrom, conversation } = toColumns(run);
    const keys = [id, rootId, parentId, parentStep, label, agent] as const;
    const origin = [madeFrom, conversation] as const;
    insertRun.run(...keys, status, createdAt, endedAt, ownerId, state, ...origin, own);
  }

  function updateRow(run: Run): void {
    const { state, own } = toColumns(run);
    const { changes } = updateRun.run(run.status, run.endedAt, state, own, run.id, ownerId);
    if (changes === 0) throw leaseLost();
  }

  function writeAll(items: readonly JournalItem[]): void {
    if (isOwner.get(ownerId) === undefined) throw leaseLost();
    for (const item of items) {
      if ("content" in item) {
        insertDefinition.run(item.hash, item.content, item.at);
      } else {
        const { runId, seq, at, type } = item.event;
        insertEvent.run(runId, seq, at, type, item.data);
      }
    }
    const { created, changed } = selectRows(items);
    created.forEach(insertRow);
    changed.forEach(updateRow);
  }

  return (items) => {
    check();
    transact(database, () => writeAll(items));
  };
}
