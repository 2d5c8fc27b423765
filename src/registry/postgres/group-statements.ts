import { createHash } from "node:crypto";
import type { Run } from "../../run/run.ts";
import { type DueRows, toColumns } from "../journal/due-rows.ts";
import type { JournalItem } from "../journal/journal.ts";
import { type ElementType, toArrayParameter } from "./connection/array-parameter.ts";

/** The statement that writes a group, and its parameters after the id of the owner. */
export interface GroupStatement {
  name: string;
  text: string;
  values: readonly Buffer[];
}

/** Some rows that a statement writes: the types of their columns by name, in the order of {@link Rows.values}. */
type Columns = Readonly<Record<string, ElementType>>;

const definitionColumns: Columns = { hash: "text", data: "text" };
const useColumns: Columns = { run_id: "text", hash: "text" };
const createdColumns: Columns = {
  id: "text",
  root_id: "text",
  parent_id: "text",
  step_hash: "text",
  agent: "text",
  status: "text",
  created_at: "bigint",
  ended_at: "bigint",
  made_from: "text",
  continues: "text",
  conversation: "text",
  task: "text",
  answer: "text",
  state: "text",
  own: "text",
};
const changedColumns: Columns = {
  id: "text",
  status: "text",
  ended_at: "bigint",
  answer: "text",
  state: "text",
  own: "text",
};
const eventColumns: Columns = {
  run_id: "text",
  seq: "int",
  at: "bigint",
  type: "text",
  data: "text",
};

/** Creates the function that returns the statement for a group of items, of which the rows of `due` are to be written. */
export function createGroupStatements(
  schema: string,
): (items: readonly JournalItem[], due: DueRows) => GroupStatement {
  const all = writeStatement(schema);
  const onlyEvents = writeEventsStatement(schema);
  return (items, due) => {
    const events = items.filter(isEvent);
    const eventValues = toValues(eventColumns, events.map(toEventRow));
    // Most groups create no run and change no row.
    const isPlain =
      due.created.length === 0 && due.changed.length === 0 && events.length === items.length;
    if (isPlain) return { name: "write-events", text: onlyEvents, values: eventValues };
    const values = [...toRowValues(items, due), ...eventValues];
    return { name: "write", text: all, values };
  };
}

/** Returns the hash of a parent's step, which identifies its child. */
export function hashStep(parentStep: string): string {
  return createHash("sha256").update(parentStep).digest("hex");
}

/** Writes nothing when the owner $1 is not in the list. A process that takes over its runs waits for this statement. */
function writeStatement(s: string): string {
  const unnest = createUnnest();
  return `
    WITH ${selectOwner(s)},
    definition AS (
      INSERT INTO ${s}.definitions (hash, data, used_at)
        SELECT hash, data, clock_timestamp() FROM mine, ${unnest(definitionColumns)}
        ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at
    ),
    used AS (
      INSERT INTO ${s}.uses (run_id, hash)
        SELECT run_id, hash FROM mine, ${unnest(useColumns)}
        ON CONFLICT DO NOTHING
    ),
    created AS (
      INSERT INTO ${s}.runs (owner, ${namesOf(createdColumns)})
        SELECT mine.id, ${namesOf(createdColumns, "given.")} FROM mine, ${unnest(createdColumns)} ORDER BY place
    ),
    changed AS (
      UPDATE ${s}.runs AS runs
        SET status = given.status, ended_at = given.ended_at, answer = given.answer, state = given.state,
          own = given.own
        FROM mine, ${unnest(changedColumns)} WHERE runs.id = given.id AND runs.owner = mine.id
    ),
    ${insertEvents(s, unnest)}`;
}

/** The statement for a group that only has events, as most groups do. */
function writeEventsStatement(s: string): string {
  return `WITH ${selectOwner(s)}, ${insertEvents(s, createUnnest())}`;
}

function selectOwner(s: string): string {
  return `mine AS MATERIALIZED (SELECT id FROM ${s}.owners WHERE id = $1 FOR KEY SHARE)`;
}

/** The last part of a statement: the events and the result. */
function insertEvents(s: string, unnest: (columns: Columns) => string): string {
  const names = namesOf(eventColumns);
  return `event AS (
      INSERT INTO ${s}.events (${names})
        SELECT ${names} FROM mine, ${unnest(eventColumns)} ORDER BY place
        RETURNING position
    )
    SELECT EXISTS (SELECT FROM mine) AS mine, (SELECT max(position) FROM event) AS position`;
}

/** Creates the function that selects rows from the next parameters, one for each column, in their order: `place`. */
function createUnnest(): (columns: Columns) => string {
  let last = 1;
  return (columns) => {
    const parameters = Object.values(columns).map((type) => `$${(last += 1)}::${type}[]`);
    return `unnest(${parameters.join(", ")}) WITH ORDINALITY AS given (${namesOf(columns)}, place)`;
  };
}

function namesOf(columns: Columns, prefix = ""): string {
  return Object.keys(columns)
    .map((name) => `${prefix}${name}`)
    .join(", ");
}

/** Returns the parameters of some rows: an array for each column. */
function toValues(columns: Columns, rows: readonly (readonly unknown[])[]): Buffer[] {
  return Object.values(columns).map((type, at) =>
    toArrayParameter(
      type,
      rows.map((row) => row[at]),
    ),
  );
}

function toRowValues(items: readonly JournalItem[], { created, changed }: DueRows): Buffer[] {
  // In the order of their hashes, so two processes that store the same ones do not deadlock.
  const definitions = [
    ...new Map(items.flatMap((item) => ("content" in item ? [[item.hash, item]] : []))).values(),
  ].toSorted((one, other) => (one.hash < other.hash ? -1 : 1));
  return [
    ...toValues(
      definitionColumns,
      definitions.map(({ hash, content }) => [hash, content]),
    ),
    ...toValues(useColumns, items.filter(isEvent).flatMap(toUses)),
    ...toValues(createdColumns, created.map(toCreatedRow)),
    ...toValues(changedColumns, changed.map(toChangedRow)),
  ];
}

type EventItem = Extract<JournalItem, { event: unknown }>;

function isEvent(item: JournalItem): item is EventItem {
  return "event" in item;
}

function toEventRow({ event: { runId, seq, at, type }, data }: EventItem): unknown[] {
  return [runId, seq, at, type, data];
}

/** The definitions and images that a created run uses. */
function toUses({ event }: EventItem): [string, string][] {
  if (event.type !== "run-created") return [];
  const { definition, images = [] } = event.spec;
  return [definition, ...images.map(({ content }) => content)].map((hash) => [event.runId, hash]);
}

function toCreatedRow(run: Run): unknown[] {
  const { id, rootId, parentId, parentStep, agent, status, createdAt, endedAt } = run;
  const { state, own, madeFrom, conversation } = toColumns(run);
  const step = parentStep === null ? null : hashStep(parentStep);
  const keys = [id, rootId, parentId, step, agent, status, createdAt, endedAt];
  const { task, result, continues = null } = run;
  return [...keys, madeFrom, continues, conversation, task, result?.text ?? null, state, own];
}

function toChangedRow(run: Run): unknown[] {
  const { state, own } = toColumns(run);
  return [run.id, run.status, run.endedAt, run.result?.text ?? null, state, own];
}
