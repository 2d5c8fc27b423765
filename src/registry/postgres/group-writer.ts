import { createHash } from "node:crypto";
import type { Run } from "../../run/run.ts";
import { createDueRows, type DueRows, toColumns } from "../journal/due-rows.ts";
import type { JournalItem } from "../journal/journal.ts";
import { leaseLost } from "../journal/lease-lost.ts";
import { codeOf } from "./connection/postgres-error.ts";
import type { Database } from "./connection/database.ts";

/** Writes groups of items, each with one statement. */
export interface GroupWriter {
  /**
   * Writes `items`, all or none. Retries while the server is unreachable.
   *
   * @throws CadreError `lease-lost` when `ownerId` is no longer in the list of owners.
   */
  write(items: readonly JournalItem[]): Promise<void>;
  /** The position of the last event that this process wrote; 0 = none. */
  lastPosition(): number;
}

/** Creates a {@link GroupWriter} for the owner `ownerId`. */
export function createGroupWriter(
  database: Pick<Database, "query">,
  { schema, ownerId }: { schema: string; ownerId: string },
): GroupWriter {
  const texts = { all: writeStatement(schema), events: writeEventsStatement(schema) };
  const selectRows = createDueRows();
  let lastPosition = 0;

  return {
    async write(items) {
      const rows = selectRows(items);
      const events = items.flatMap((item) => ("event" in item ? item : []));
      const isPlain =
        rows.created.length === 0 && rows.changed.length === 0 && events.length === items.length;
      const values = [ownerId, ...(isPlain ? toEventValues(events) : toValues(items, rows))];
      const [text, name] = isPlain ? [texts.events, "write-events"] : [texts.all, "write"];
      try {
        const [row] = await database.query(text, values, { name, isGated: false });
        if (row?.["mine"] !== true) throw leaseLost();
        lastPosition = Number(row["position"] ?? lastPosition);
      } catch (error) {
        // The connection broke after the group was written, and the group was sent again.
        if (!isDuplicate(error) || !(await isWritten(items))) throw error;
      }
    },
    lastPosition: () => lastPosition,
  };

  async function isWritten(items: readonly JournalItem[]): Promise<boolean> {
    const event = items.flatMap((item) => ("event" in item ? item.event : [])).at(-1);
    const [row] = await database.query(
      `SELECT EXISTS (SELECT FROM ${schema}.owners WHERE id = $1) AS mine,
          EXISTS (SELECT FROM ${schema}.events WHERE run_id = $2 AND seq = $3) AS written`,
      [ownerId, event?.runId ?? "", event?.seq ?? 0],
      { isGated: false },
    );
    // Otherwise another process wrote the events with these numbers.
    if (row?.["mine"] !== true) throw leaseLost();
    return row["written"] === true;
  }
}

function isDuplicate(error: unknown): boolean {
  return codeOf((error as { cause?: unknown }).cause) === "23505";
}

/** Returns the hash of a parent's step, which identifies its child. */
export function hashStep(parentStep: string): string {
  return createHash("sha256").update(parentStep).digest("hex");
}

/** Writes nothing when the owner $1 is not in the list. A process that takes over its runs waits for this statement. */
function writeStatement(s: string): string {
  return `
    WITH mine AS MATERIALIZED (SELECT id FROM ${s}.owners WHERE id = $1 FOR KEY SHARE),
    definition AS (
      INSERT INTO ${s}.definitions (hash, data, used_at)
        SELECT hash, data, clock_timestamp() FROM mine, unnest($2::text[], $3::text[]) AS given (hash, data)
        ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at
    ),
    used AS (
      INSERT INTO ${s}.uses (run_id, hash)
        SELECT run_id, hash FROM mine, unnest($4::text[], $5::text[]) AS given (run_id, hash)
        ON CONFLICT DO NOTHING
    ),
    created AS (
      INSERT INTO ${s}.runs (owner, id, root_id, parent_id, step_hash, agent, status, created_at, ended_at,
          made_from, continues, conversation, task, answer, state, own)
        SELECT mine.id, given.id, root_id, parent_id, step_hash, agent, status, created_at, ended_at,
            made_from, continues, conversation, task, answer, state, own
          FROM mine, unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
            $12::bigint[], $13::bigint[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[],
            $19::text[], $20::text[])
            WITH ORDINALITY AS given (id, root_id, parent_id, step_hash, agent, status,
              created_at, ended_at, made_from, continues, conversation, task, answer, state, own, place)
          ORDER BY place
    ),
    changed AS (
      UPDATE ${s}.runs AS runs
        SET status = given.status, ended_at = given.ended_at, answer = given.answer, state = given.state,
          own = given.own
        FROM mine, unnest($21::text[], $22::text[], $23::bigint[], $24::text[], $25::text[], $26::text[])
          AS given (id, status, ended_at, answer, state, own)
        WHERE runs.id = given.id AND runs.owner = mine.id
    ),
    ${insertEvents(s, 27)}`;
}

/** The statement for a group that only has events, as most groups do. */
function writeEventsStatement(s: string): string {
  return `
    WITH mine AS MATERIALIZED (SELECT id FROM ${s}.owners WHERE id = $1 FOR KEY SHARE),
    ${insertEvents(s, 2)}`;
}

/** The last part of a statement: the events and the result. The event columns are the parameters from number `first`. */
function insertEvents(s: string, first: number): string {
  const columns = ["text", "int", "bigint", "text", "text"].map(
    (type, at) => `$${first + at}::${type}[]`,
  );
  return `event AS (
      INSERT INTO ${s}.events (run_id, seq, at, type, data)
        SELECT run_id, seq, at, type, data
          FROM mine, unnest(${columns.join(", ")})
            WITH ORDINALITY AS given (run_id, seq, at, type, data, place)
          ORDER BY place
        RETURNING position
    )
    SELECT EXISTS (SELECT FROM mine) AS mine, (SELECT max(position) FROM event) AS position`;
}

/** The columns of all tables, one after another, each as an array. */
function toValues(items: readonly JournalItem[], { created, changed }: DueRows): unknown[][] {
  const events = items.flatMap((item) => ("event" in item ? item : []));
  // In the order of their hashes, so two processes that store the same ones do not deadlock.
  const definitions = [
    ...new Map(items.flatMap((item) => ("content" in item ? [[item.hash, item]] : []))).values(),
  ].toSorted((one, other) => (one.hash < other.hash ? -1 : 1));
  const uses = events.flatMap(({ event }) => toUses(event));
  return [
    ...columnsOf(definitions, (item) => [item.hash, item.content], 2),
    ...columnsOf(uses, (use) => use, 2),
    ...columnsOf(created, toCreated, 15),
    ...columnsOf(changed, toChanged, 6),
    ...toEventValues(events),
  ];
}

type EventItem = Extract<JournalItem, { event: unknown }>;

function toEventValues(events: readonly EventItem[]): unknown[][] {
  return columnsOf(
    events,
    ({ event: { runId, seq, at, type }, data }) => [runId, seq, at, type, data],
    5,
  );
}

function columnsOf<Item>(
  items: readonly Item[],
  toRow: (item: Item) => readonly unknown[],
  count: number,
): unknown[][] {
  const rows = items.map(toRow);
  return Array.from({ length: count }, (_, at) => rows.map((row) => row[at]));
}

/** The definitions and images that a created run uses. */
function toUses(event: EventItem["event"]): [string, string][] {
  if (event.type !== "run-created") return [];
  const { definition, images = [] } = event.spec;
  return [definition, ...images.map(({ content }) => content)].map((hash) => [event.runId, hash]);
}

function toCreated(run: Run): unknown[] {
  const { id, rootId, parentId, parentStep, agent, status, createdAt, endedAt } = run;
  const { state, own, madeFrom, conversation } = toColumns(run);
  const step = parentStep === null ? null : hashStep(parentStep);
  const keys = [id, rootId, parentId, step, agent, status, createdAt, endedAt];
  const { task, result, continues = null } = run;
  return [...keys, madeFrom, continues, conversation, task, result?.text ?? null, state, own];
}

function toChanged(run: Run): unknown[] {
  const { state, own } = toColumns(run);
  return [run.id, run.status, run.endedAt, run.result?.text ?? null, state, own];
}
