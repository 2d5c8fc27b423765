import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { RunEvent } from "../../run/event.ts";
import { isTerminal, type Run, type RunSpec } from "../../run/run.ts";
import type { JsonObject } from "../../source/json.ts";
import { createPositionQueries, type PositionQueries } from "./position-queries.ts";
import { createReadRunFigures, type ReadRunFigures } from "./read-run-figures.ts";
import { createReadUsage } from "./read-usage.ts";
import type { UsageRequest, UsageSum } from "../usage-sum.ts";
import { escapeLike } from "../escape-like.ts";
import type { EventFilter, RunFilter } from "../registry.ts";
import { replay } from "../replay.ts";
import { parseStored, readEvent, readStoredRun } from "../stored-value.ts";

/** The reading half of the registry, from the database. */
export interface RunQueries extends PositionQueries {
  run(id: string): Run | undefined;
  findRuns(part: string): Run[];
  runs(filter: RunFilter): Run[];
  family(rootId: string): Run[];
  children(parentId: string): Run[];
  childOf(parentId: string, parentStep: string): Run | undefined;
  madeFrom(runId: string): Run[];
  runFigures: ReadRunFigures;
  usage(request: UsageRequest): UsageSum[];
  spec(runId: string): RunSpec | undefined;
  events(runId: string, which?: EventFilter): RunEvent[];
  content(hash: string): JsonObject | undefined;
}

const defaultLimit = 50;
const findLimit = 20;

/** Creates the queries over `database`. */
export function createRunQueries(database: DatabaseSync): RunQueries {
  const byId = database.prepare("SELECT state, own FROM runs WHERE id = ?");
  const byPart = database.prepare(
    `SELECT state, own FROM runs WHERE id LIKE ? ESCAPE '\\' OR id LIKE ? ESCAPE '\\' ORDER BY created_at DESC LIMIT ${findLimit}`,
  );
  // Ordered by row, not by time: a clock may be set back, and a child must follow its parent.
  const byRoot = database.prepare("SELECT state, own FROM runs WHERE root_id = ? ORDER BY rowid");
  const byParent = database.prepare(
    "SELECT state, own FROM runs WHERE parent_id = ? ORDER BY rowid",
  );
  const byStep = database.prepare(
    "SELECT state, own FROM runs WHERE parent_id = ? AND parent_step = ?",
  );
  const byOrigin = database.prepare(
    "SELECT state, own FROM runs WHERE made_from = ? ORDER BY rowid",
  );
  const eventsAfter = database.prepare(
    `SELECT seq, at, type, data FROM events WHERE run_id = ?1 AND seq > ?2
      AND (?3 IS NULL OR type IN (SELECT value FROM json_each(?3))) ORDER BY seq LIMIT ?4`,
  );
  const firstEvent = database.prepare(
    "SELECT seq, at, type, data FROM events WHERE run_id = ? AND seq = 1",
  );
  const definitionByHash = database.prepare("SELECT data FROM definitions WHERE hash = ?");

  // In SQLite, a negative limit means no limit.
  function events(runId: string, { after = 0, limit = -1, types }: EventFilter = {}): RunEvent[] {
    const wanted = types === undefined ? null : JSON.stringify(types);
    return eventsAfter.all(runId, after, wanted, limit).map((row) => readEvent(runId, row));
  }
  /** Applies the events that are newer than the row of an unfinished run. */
  function toRun(row: Row): Run {
    const run = readStoredRun(row);
    return isTerminal(run.status) ? run : replay(run, events(run.id, { after: run.lastSeq }));
  }
  const toOptionalRun = (row: Row | undefined): Run | undefined => row && toRun(row);
  return {
    run: (id) => toOptionalRun(byId.get(id)),
    findRuns: (part) => byPart.all(`${escapeLike(part)}%`, `%-${escapeLike(part)}`).map(toRun),
    runs: (filter) => selectRows(database, filter).map(toRun),
    family: (rootId) => byRoot.all(rootId).map(toRun),
    children: (parentId) => byParent.all(parentId).map(toRun),
    childOf: (parentId, parentStep) => toOptionalRun(byStep.get(parentId, parentStep)),
    madeFrom: (runId) => byOrigin.all(runId).map(toRun),
    runFigures: createReadRunFigures(database),
    usage: createReadUsage(database),
    spec(runId) {
      const created = firstEvent.get(runId);
      if (created === undefined) return undefined;
      const event = readEvent(runId, created);
      return event.type === "run-created" ? event.spec : undefined;
    },
    events,
    ...createPositionQueries(database),
    content(hash) {
      const row = definitionByHash.get(hash);
      if (row === undefined) return undefined;
      return parseStored(row["data"], `the content ${hash}`) as JsonObject;
    },
  };
}

type Row = Record<string, unknown>;

function selectRows(database: DatabaseSync, filter: RunFilter): Row[] {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  if (filter.ids !== undefined) {
    conditions.push("id IN (SELECT value FROM json_each(?))");
    values.push(JSON.stringify(filter.ids));
  }
  if (filter.status !== undefined) {
    conditions.push(`status IN (${filter.status.map(() => "?").join(", ")})`);
    values.push(...filter.status);
  }
  if (filter.agent !== undefined) {
    conditions.push("agent = ?");
    values.push(filter.agent);
  }
  if (filter.rootsOnly === true) conditions.push("parent_id IS NULL");
  if (filter.before !== undefined) {
    conditions.push("(created_at, id) < (SELECT created_at, id FROM runs WHERE id = ?)");
    values.push(filter.before);
  }
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const query = `SELECT state, own FROM runs ${where} ORDER BY created_at DESC, id DESC LIMIT ?`;
  return database.prepare(query).all(...values, filter.limit ?? defaultLimit);
}
