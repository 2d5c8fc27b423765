/**
 * The migrations of a schema, oldest first. Each takes the schema's quoted name. The schema version is the number of applied
 * ones.
 * A released migration is never changed.
 *
 * Journals, states and definitions are `text`, because `jsonb` refuses NUL. Ids compare by bytes.
 */
export const postgresMigrations: readonly ((schema: string) => string)[] = [
  (s) => [createRuns(s), createEvents(s), createSharedTables(s)].join("\n"),
  createWork,
  createLeaders,
  createSubmissions,
  createLiveKey,
  createDependencies,
];

/** The runs. */
function createRuns(s: string): string {
  return `
  CREATE TABLE ${s}.runs (
    id           text COLLATE "C" PRIMARY KEY,
    -- The order of creation.
    number       bigint GENERATED ALWAYS AS IDENTITY,
    root_id      text COLLATE "C" NOT NULL,
    parent_id    text COLLATE "C",
    -- The SHA-256 hash of the parent's step, which may be too long for an index.
    step_hash    text,
    agent        text NOT NULL,
    status       text NOT NULL,
    created_at   bigint NOT NULL,
    ended_at     bigint,
    owner        text NOT NULL,
    -- The run that it was forked or retried from, or that it continues.
    made_from    text COLLATE "C",
    continues    text COLLATE "C",
    -- The first run of its conversation; of root runs only.
    conversation text COLLATE "C",
    -- The task and the answer, for searches.
    task         text NOT NULL,
    answer       text,
    state        text NOT NULL,
    own          text NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX runs_by_root ON ${s}.runs (root_id, number);
  CREATE UNIQUE INDEX runs_by_parent_step ON ${s}.runs (parent_id, step_hash) WHERE parent_id IS NOT NULL;
  CREATE INDEX runs_by_time ON ${s}.runs (created_at, id);
  CREATE INDEX runs_unfinished ON ${s}.runs (root_id) WHERE ended_at IS NULL;
  CREATE INDEX runs_by_origin ON ${s}.runs (made_from, number) WHERE made_from IS NOT NULL;
  CREATE INDEX runs_by_conversation ON ${s}.runs (conversation, number) WHERE parent_id IS NULL;
  `;
}

/** The events of runs, and the definitions that they use. */
function createEvents(s: string): string {
  return `
  -- A reader of all events takes them in the order of the transactions, and only those before the oldest open one: positions
  -- alone are given out before the commits, which may change places.
  CREATE TABLE ${s}.events (
    run_id   text COLLATE "C" NOT NULL,
    seq      integer NOT NULL,
    at       bigint NOT NULL,
    type     text NOT NULL,
    data     text NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    xid      xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (run_id, seq)
  );
  CREATE UNIQUE INDEX events_by_position ON ${s}.events (xid, position);

  -- The position of the last pruned event, when it was the last one.
  CREATE TABLE ${s}.pruned (
    xid      xid8 NOT NULL,
    position bigint NOT NULL
  );

  CREATE TABLE ${s}.definitions (
    hash    text PRIMARY KEY,
    data    text NOT NULL,
    used_at timestamptz NOT NULL
  );
  -- The definitions and images of each run.
  CREATE TABLE ${s}.uses (
    run_id text COLLATE "C" NOT NULL,
    hash   text NOT NULL,
    PRIMARY KEY (run_id, hash)
  );
  CREATE INDEX uses_by_hash ON ${s}.uses (hash);
  `;
}

/** Other shared tables: owners, requests, the cache, the names of conversations. */
function createSharedTables(s: string): string {
  return `
  CREATE TABLE ${s}.owners (
    id         text PRIMARY KEY,
    host       text NOT NULL,
    -- Where its process id has a meaning: one start of one machine, and one namespace of processes.
    place      text NOT NULL,
    pid        integer NOT NULL,
    started_at text NOT NULL,
    seen_at    timestamptz NOT NULL
  );

  CREATE TABLE ${s}.requests (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Chosen by the sender, so that a request is stored once although it was sent again.
    key    uuid NOT NULL UNIQUE,
    run_id text COLLATE "C" NOT NULL,
    kind   text NOT NULL,
    data   text NOT NULL
  );
  CREATE INDEX requests_by_run ON ${s}.requests (run_id);

  CREATE TABLE ${s}.cache (
    run_id     text COLLATE "C" PRIMARY KEY,
    number     bigint GENERATED ALWAYS AS IDENTITY,
    key        text NOT NULL,
    basis      text NOT NULL,
    created_at bigint NOT NULL,
    hits       integer NOT NULL DEFAULT 0
  );
  CREATE INDEX cache_by_key ON ${s}.cache (key, created_at);

  -- What users say about conversations. One without a row has no title and is not archived.
  CREATE TABLE ${s}.conversations (
    id       text COLLATE "C" PRIMARY KEY,
    title    text,
    archived boolean NOT NULL
  );
  `;
}

/** The families that workers execute, and the workers. */
function createWork(s: string): string {
  return `
  CREATE TABLE ${s}.work (
    root_id      text COLLATE "C" PRIMARY KEY,
    attempt      integer NOT NULL,
    -- What a worker needs to have.
    label        text,
    setting      text NOT NULL,
    -- The worker that took the attempt.
    worker       text,
    refusals     text NOT NULL,
    submitted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    since        timestamptz NOT NULL,
    -- For branches of a family that other workers execute: the parent and its step, and the share of the budget.
    link         text,
    budget       text
  );
  CREATE INDEX work_by_time ON ${s}.work (since);

  CREATE TABLE ${s}.workers (
    id          text PRIMARY KEY,
    host        text NOT NULL,
    -- As in owners.
    place       text NOT NULL,
    pid         integer NOT NULL,
    started_at  text NOT NULL,
    label       text,
    concurrency integer NOT NULL,
    version     text NOT NULL,
    seen_at     timestamptz NOT NULL
  );
  `;
}

/** Work that one process at a time does, and its progress. */
function createLeaders(s: string): string {
  return `
  CREATE TABLE ${s}.leaders (
    work  text PRIMARY KEY,
    owner text NOT NULL,
    state text NOT NULL
  );
  `;
}

/** The turn that a submission describes, and the keys of submissions. */
function createSubmissions(s: string): string {
  return `
  ALTER TABLE ${s}.work
    ADD COLUMN priority integer NOT NULL DEFAULT 0,
    -- The family is not in the queue before this time, and not after it either until a worker puts it there.
    ADD COLUMN start_at timestamptz;
  CREATE INDEX work_by_start ON ${s}.work (start_at) WHERE start_at IS NOT NULL;
  CREATE TABLE ${s}.work_keys (
    key     text COLLATE "C" PRIMARY KEY,
    root_id text COLLATE "C" NOT NULL,
    since   timestamptz NOT NULL
  );
  CREATE INDEX work_keys_by_root ON ${s}.work_keys (root_id);
  `;
}

/** The secret that seals notifications with text. */
function createLiveKey(s: string): string {
  return `
  CREATE TABLE ${s}.live_key (key text NOT NULL);
  INSERT INTO ${s}.live_key SELECT gen_random_uuid()::text || gen_random_uuid()::text;
  `;
}

/** The runs of other families that a family waits for outside the queue. */
function createDependencies(s: string): string {
  return `
  ALTER TABLE ${s}.work ADD COLUMN awaits text[] COLLATE "C";
  `;
}
