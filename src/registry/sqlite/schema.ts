/**
 * The migrations of the database, oldest first. The schema version is the number of applied ones. A released migration is never
 * changed.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE runs (
    id          TEXT PRIMARY KEY,
    root_id     TEXT NOT NULL,
    parent_id   TEXT,
    parent_step TEXT,
    label       TEXT,
    agent       TEXT NOT NULL,
    status      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    ended_at    INTEGER,
    owner       TEXT,
    state       TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_by_root ON runs (root_id, created_at);
  CREATE UNIQUE INDEX runs_by_parent_step ON runs (parent_id, parent_step) WHERE parent_id IS NOT NULL;
  CREATE INDEX runs_by_time ON runs (created_at);
  CREATE INDEX runs_unfinished ON runs (root_id) WHERE ended_at IS NULL;

  -- In order of arrival, so that a commit writes the last pages and not one page for each active run.
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    run_id   TEXT NOT NULL,
    seq      INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    type     TEXT NOT NULL,
    data     TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_by_run ON events (run_id, seq);

  CREATE TABLE definitions (
    hash TEXT PRIMARY KEY,
    data TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE owners (
    id         TEXT PRIMARY KEY,
    host       TEXT NOT NULL,
    pid        INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    seen_at    INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE requests (
    id     INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    kind   TEXT NOT NULL,
    data   TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- Results that later runs of the same task may return.
  CREATE TABLE cache (
    run_id     TEXT PRIMARY KEY,
    key        TEXT NOT NULL,
    basis      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    hits       INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX cache_by_key ON cache (key, created_at);
  `,
  `
  -- The run that a fork or a retry was made from.
  ALTER TABLE runs ADD COLUMN made_from TEXT;
  UPDATE runs SET made_from = json_extract(state, '$.lineage.runId')
    WHERE json_extract(state, '$.lineage.runId') IS NOT NULL;
  CREATE INDEX runs_by_origin ON runs (made_from) WHERE made_from IS NOT NULL;
  `,
  `
  -- When a definition was last stored: the run that uses it may not be written yet.
  ALTER TABLE definitions ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- The figures of a run alone, apart from its state, which may be long: those of a family are added up from the index.
  ALTER TABLE runs ADD COLUMN own TEXT NOT NULL DEFAULT '{}';
  UPDATE runs SET
    own = json_object(
      'turns', json_extract(state, '$.turns'),
      'toolCalls', COALESCE(json_extract(state, '$.toolCalls'), 0),
      'usage', json_extract(state, '$.usage'),
      'cost', json_extract(state, '$.cost')
    ),
    state = json_remove(state, '$.turns', '$.toolCalls', '$.usage', '$.cost')
    WHERE json_valid(state);
  CREATE INDEX runs_by_parent ON runs (parent_id, id, ended_at, own) WHERE parent_id IS NOT NULL;
  `,
  `
  -- The conversation of a root run: the id of its first run. Descendants belong to the conversation of their root.
  ALTER TABLE runs ADD COLUMN conversation TEXT;
  UPDATE runs SET conversation = id WHERE parent_id IS NULL;
  CREATE INDEX runs_by_conversation ON runs (conversation, created_at, ended_at) WHERE parent_id IS NULL;

  -- What users say about conversations. One without a row has no title and is not archived.
  CREATE TABLE conversations (
    id       TEXT PRIMARY KEY,
    title    TEXT,
    archived INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Work that one process at a time does, and how far it is.
  CREATE TABLE leaders (
    work  TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    state TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
];
