/** The full-text index of the texts of runs: a separate file beside the registry. It is built from the journal and may be deleted. */

import { existsSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { createDatabase, orClose, transact, withLongWait } from "./open-database.ts";

/** A text of a run. */
export interface IndexedText {
  runId: string;
  /** The number of the event that contains it. */
  seq: number;
  kind: string;
  text: string;
}

/** A matching text. */
export interface IndexHit extends Omit<IndexedText, "text"> {
  /** Its row in the index. Later texts have higher numbers. */
  row: number;
}

/** The full-text index. */
export interface SearchIndex {
  /** The position of the last indexed event; the empty text = none. */
  position(): string;
  /** Adds the texts of the events from one position to another. Returns `false` when another process has added them. */
  add(texts: readonly IndexedText[], which: { from: string; to: string }): boolean;
  /** Returns at most `limit` matches of an FTS5 query before a row, latest first. */
  find(query: string, which: { before: number; limit: number }): IndexHit[];
  /** Returns a passage of a matching text. Matches are between U+0002 and U+0003. */
  excerpt(query: string, row: number): string;
  /** Removes the texts of runs. */
  remove(runIds: readonly string[]): void;
  close(): void;
}

/** Changes with the tables and the indexed content. An index of another version is rebuilt. */
const version = 1;

const schema = `
  CREATE TABLE progress (position TEXT NOT NULL) STRICT;
  INSERT INTO progress VALUES ('');
  CREATE TABLE texts (
    id     INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    kind   TEXT NOT NULL,
    text   TEXT NOT NULL
  ) STRICT;
  CREATE INDEX texts_by_run ON texts (run_id);
  CREATE VIRTUAL TABLE said USING fts5 (
    text, content = 'texts', content_rowid = 'id', tokenize = "unicode61 remove_diacritics 2"
  );
  PRAGMA user_version = ${version};`;

/** Opens the index at `path`. Rebuilds it when it is missing, damaged or of another version. */
export function openSearchIndex(path: string): SearchIndex {
  try {
    return createIndex(open(path));
  } catch {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    return createIndex(open(path));
  }
}

/** Removes the texts of runs from the index at `path`, if it exists. */
export function removeFromIndex(path: string, runIds: readonly string[]): void {
  if (runIds.length === 0 || !existsSync(path)) return;
  const index = openSearchIndex(path);
  try {
    index.remove(runIds);
  } finally {
    index.close();
  }
}

function open(path: string): DatabaseSync {
  const database = createDatabase(path);
  return orClose(database, () =>
    withLongWait(database, () => {
      // Text lost in a power failure is read from the journal again.
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
      const found = (): unknown => database.prepare("PRAGMA user_version").get()?.["user_version"];
      if (found() === version) return database;
      transact(database, () => {
        if (found() === 0) database.exec(schema);
        else if (found() !== version) throw new Error("The index is of another version.");
      });
      return database;
    }),
  );
}

function createIndex(database: DatabaseSync): SearchIndex {
  const position = database.prepare("SELECT position FROM progress");
  const move = database.prepare("UPDATE progress SET position = ?");
  const addText = database.prepare(
    "INSERT INTO texts (run_id, seq, kind, text) VALUES (?, ?, ?, ?)",
  );
  const addWords = database.prepare("INSERT INTO said (rowid, text) VALUES (?, ?)");
  // FTS5 ignores a limit that is not an integer, and JavaScript numbers are bound as floating-point.
  const find = database.prepare(
    `SELECT said.rowid AS row, run_id, seq, kind FROM said JOIN texts ON texts.id = said.rowid
      WHERE said MATCH ? AND said.rowid < CAST(? AS INTEGER) ORDER BY said.rowid DESC LIMIT ?`,
  );
  const excerpt = database.prepare(
    "SELECT snippet(said, 0, char(2), char(3), '…', 32) AS text FROM said WHERE said MATCH ? AND rowid = CAST(? AS INTEGER)",
  );
  const ofRun = database.prepare("SELECT id, text FROM texts WHERE run_id = ?");
  const removeWords = database.prepare(
    "INSERT INTO said (said, rowid, text) VALUES ('delete', ?, ?)",
  );
  const removeTexts = database.prepare("DELETE FROM texts WHERE run_id = ?");
  const readPosition = (): string => String(position.get()?.["position"] ?? "");

  return {
    position: readPosition,
    add: (texts, { from, to }) =>
      transact(database, () => {
        if (readPosition() !== from) return false;
        for (const { runId, seq, kind, text } of texts) {
          const { lastInsertRowid } = addText.run(runId, seq, kind, text);
          addWords.run(lastInsertRowid, text);
        }
        move.run(to);
        return true;
      }),
    find: (query, { before, limit }) =>
      find.all(query, before, limit).map((row) => ({
        row: Number(row["row"]),
        runId: String(row["run_id"]),
        seq: Number(row["seq"]),
        kind: String(row["kind"]),
      })),
    excerpt: (query, row) => String(excerpt.get(query, row)?.["text"] ?? ""),
    remove(runIds) {
      withLongWait(database, () =>
        transact(database, () => {
          for (const runId of runIds) {
            for (const { id, text } of ofRun.all(runId)) removeWords.run(Number(id), String(text));
            removeTexts.run(runId);
          }
        }),
      );
    },
    close: () => database.close(),
  };
}
