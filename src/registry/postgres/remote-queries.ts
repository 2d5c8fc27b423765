import type { FamilyRunFigures } from "../ended-figures.ts";
import type { RunEvent } from "../../run/event.ts";
import { isTerminal, type Run, type RunSpec } from "../../run/run.ts";
import type { JsonObject } from "../../source/json.ts";
import { createLruPool } from "../../lru-pool.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { escapeLike } from "../escape-like.ts";
import type { EventFilter, RunFilter } from "../registry.ts";
import { replay } from "../replay.ts";
import type { UsageRequest, UsageSum } from "../usage-sum.ts";
import { parseStored, readEvent, readFigures, readStoredRun } from "../stored-value.ts";
import type { Row } from "./connection/connections.ts";
import type { Database } from "./connection/database.ts";
import { hashStep } from "./group-statements.ts";

/** The reading half of the registry, from the database. */
export interface RemoteQueries {
  run(id: string): Promise<Run | undefined>;
  /** Returns the runs with these ids, in their order. Omits unknown ones. */
  runsOf(ids: readonly string[]): Promise<Run[]>;
  findRuns(part: string): Promise<Run[]>;
  runs(filter: RunFilter): Promise<Run[]>;
  family(rootId: string): Promise<Run[]>;
  children(parentId: string): Promise<Run[]>;
  childOf(parentId: string, parentStep: string): Promise<Run | undefined>;
  madeFrom(runId: string): Promise<Run[]>;
  /** Reads the figures of runs and all their descendants. Unfinished runs come from `live` or their journals. */
  runFigures(
    ids: readonly string[],
    live: (id: string) => Run | undefined,
  ): Promise<FamilyRunFigures[]>;
  usage(request: UsageRequest): Promise<UsageSum[]>;
  spec(runId: string): Promise<RunSpec | undefined>;
  events(runId: string, which?: EventFilter): Promise<RunEvent[]>;
  content(hash: string): Promise<JsonObject | undefined>;
}

const defaultLimit = 50;
const findLimit = 20;
/** The number of cached definitions, and the maximum length of one in characters. Images are longer. */
const maxRecent = 64;
const maxRecentLength = 64 * 1024;

/** Creates the queries over the quoted schema `s` of `database`. */
export function createRemoteQueries({ query }: Pick<Database, "query">, s: string): RemoteQueries {
  const selectRuns = async (
    rest: string,
    values: readonly unknown[],
    name?: string,
  ): Promise<Run[]> =>
    await toRuns(
      { query },
      s,
      await query(
        `SELECT id, state, own FROM ${s}.runs ${rest}`,
        values,
        name === undefined ? {} : { name },
      ),
    );

  const runsOf: RemoteQueries["runsOf"] = async (ids) => {
    const runs = await selectRuns("WHERE id = ANY($1)", [ids], "runs");
    const found = new Map(runs.map((run) => [run.id, run]));
    return ids.flatMap((id) => found.get(id) ?? []);
  };

  return {
    run: async (id) => (await selectRuns("WHERE id = $1", [id], "run"))[0],
    runsOf,
    findRuns: async (part) =>
      await selectRuns(
        `WHERE id LIKE $1 OR id LIKE $2 ORDER BY created_at DESC LIMIT ${findLimit}`,
        [`${escapeLike(part)}%`, `%-${escapeLike(part)}`],
      ),
    async runs(filter) {
      const { rest, values, name } = toSelection(filter, s);
      return await selectRuns(rest, values, name);
    },
    family: async (rootId) =>
      await selectRuns("WHERE root_id = $1 ORDER BY number", [rootId], "family"),
    children: async (parentId) =>
      await selectRuns("WHERE parent_id = $1 ORDER BY number", [parentId], "children"),
    childOf: async (parentId, step) =>
      (
        await selectRuns(
          "WHERE parent_id = $1 AND step_hash = $2",
          [parentId, hashStep(step)],
          "child",
        )
      )[0],
    madeFrom: async (runId) =>
      await selectRuns("WHERE made_from = $1 ORDER BY number", [runId], "made-from"),
    runFigures: createReadRemoteRunFigures({ query }, s, runsOf),
    usage: createReadRemoteUsage({ query }, s),
    ...createContentQueries({ query }, s),
  };
}

/** Applies the events that are newer than the rows of unfinished runs. */
async function toRuns(
  { query }: Pick<Database, "query">,
  s: string,
  rows: readonly Row[],
): Promise<Run[]> {
  const runs = rows.map(readStoredRun);
  const unfinished = runs.filter(({ status }) => !isTerminal(status));
  if (unfinished.length === 0) return runs;
  const later = await readLater({ query }, s, unfinished);
  const events = Map.groupBy(later.map(toEvent), ({ runId }) => runId);
  return runs.map((run) => replay(run, events.get(run.id) ?? []));
}

/** Reads the events that are newer than the rows of `runs`, in the order of each run. */
async function readLater(
  { query }: Pick<Database, "query">,
  s: string,
  runs: readonly Run[],
): Promise<Row[]> {
  const [first] = runs;
  // Usually there is one run. For several, the server may plan to read the whole journal while it has no statistics of the table.
  if (first !== undefined && runs.length === 1) {
    const values = [first.id, first.lastSeq, null, null];
    return await query(selectEvents(s), values, { name: "events" });
  }
  return await query(
    `SELECT run_id, seq, at, type, data
        FROM unnest($1::text[], $2::int[]) AS row (id, last)
          JOIN ${s}.events ON run_id = row.id AND seq > row.last ORDER BY run_id, seq`,
    [runs.map(({ id }) => id), runs.map(({ lastSeq }) => lastSeq)],
    { name: "later" },
  );
}

/** Creates {@link RemoteQueries.runFigures}. */
function createReadRemoteRunFigures(
  { query }: Pick<Database, "query">,
  s: string,
  runsOf: RemoteQueries["runsOf"],
): RemoteQueries["runFigures"] {
  return async (ids, live) => {
    const rows = await query(withDescendants(s), [ids], { name: "run-figures" });
    const unfinished = rows
      .filter((row) => row["ended_at"] === null)
      .map((row) => String(row["id"]));
    const others = await runsOf(unfinished.filter((id) => live(id) === undefined));
    const present = new Map(others.map((run) => [run.id, run]));
    return rows.map((row) => {
      const id = String(row["id"]);
      const parentId = row["parent_id"] as string | null;
      const own = row["ended_at"] === null ? (live(id) ?? present.get(id))?.own : undefined;
      const hasEnded = row["ended_at"] !== null;
      return { id, parentId, own: own ?? readFigures(row["own"], id), hasEnded };
    });
  };
}

/** Creates {@link RemoteQueries.usage}. */
function createReadRemoteUsage(
  { query }: Pick<Database, "query">,
  s: string,
): RemoteQueries["usage"] {
  const numberAt = (path: string): string => `(own #>> '{${path}}')::float8`;
  return async ({ since, until, periodMs }) => {
    const rows = await query(
      `SELECT created_at - created_at % $3::bigint AS start, agent, model, count(*) AS runs,
          coalesce(sum(${numberAt("usage,inputTokens")}), 0) AS input_tokens,
          coalesce(sum(${numberAt("usage,outputTokens")}), 0) AS output_tokens,
          CASE WHEN count(own ->> 'cost') = count(*) THEN sum(${numberAt("cost")}) END AS cost
        FROM (
          SELECT created_at, agent, own::jsonb AS own, state::jsonb ->> 'model' AS model
            FROM ${s}.runs WHERE created_at BETWEEN $1 AND $2) AS run
        GROUP BY 1, 2, 3`,
      [since, until, periodMs],
      { name: "usage" },
    );
    return rows.map((row) => ({
      start: Number(row["start"]),
      agent: String(row["agent"]),
      model: row["model"] as string | null,
      runs: Number(row["runs"]),
      inputTokens: Number(row["input_tokens"]),
      outputTokens: Number(row["output_tokens"]),
      cost: row["cost"] === null ? null : Number(row["cost"]),
    }));
  };
}

function createContentQueries(
  { query }: Pick<Database, "query">,
  s: string,
): Pick<RemoteQueries, "spec" | "events" | "content"> {
  const events: RemoteQueries["events"] = async (runId, { after = 0, limit, types } = {}) => {
    const rows = await query(selectEvents(s), [runId, after, limit ?? null, types ?? null], {
      name: "events",
    });
    return rows.map(toEvent);
  };
  const recent = createLruPool<string>({ most: maxRecent });

  /** Reads the text with this hash. A worker reads the same few definitions for many families. */
  async function findText(hash: string): Promise<string | undefined> {
    const known = recent.find(hash);
    if (known !== undefined) return known;
    const select = `SELECT data FROM ${s}.definitions WHERE hash = $1`;
    const [row] = await query(select, [hash], { name: "content" });
    if (row === undefined) return undefined;
    const text = String(row["data"]);
    if (text.length <= maxRecentLength) recent.enter(hash, text);
    return text;
  }

  return {
    async spec(runId) {
      const [created] = await events(runId, { limit: 1 });
      return created?.type === "run-created" ? created.spec : undefined;
    },
    events,
    async content(hash) {
      const text = await findText(hash);
      return text === undefined
        ? undefined
        : (parseStored(text, `the content ${hash}`) as JsonObject);
    },
  };
}

/** Selects the events of the run $1 after $2, at most $3, of the types $4. */
function selectEvents(s: string): string {
  return `SELECT run_id, seq, at, type, data FROM ${s}.events
    WHERE run_id = $1 AND seq > $2 AND ($4::text[] IS NULL OR type = ANY($4)) ORDER BY seq LIMIT $3`;
}

/** Reads an event from a row. */
function toEvent(row: Row): RunEvent {
  return readEvent(String(row["run_id"]), row);
}

function withDescendants(s: string): string {
  return `
    WITH RECURSIVE below AS (
      SELECT id, parent_id, ended_at, own FROM ${s}.runs WHERE id = ANY($1)
      UNION
      SELECT runs.id, runs.parent_id, runs.ended_at, runs.own
        FROM below JOIN ${s}.runs ON runs.parent_id = below.id
    )
    SELECT id, parent_id, ended_at, own FROM below`;
}

/** Returns the conditions, the order and the limit of a filter, with their values, and a name for these conditions. */
function toSelection(
  filter: RunFilter,
  s: string,
): { rest: string; values: unknown[]; name: string } {
  const conditions: string[] = [];
  const values: unknown[] = [];
  const { ids, status, agent, rootsOnly = false, before } = filter;
  const given = { ids, status, agent, rootsOnly: rootsOnly || undefined, before };
  const name = `runs ${Object.keys(omitUndefined(given)).join(" ")}`;
  const next = (value: unknown): string => `$${values.push(value)}`;
  if (ids !== undefined) conditions.push(`id = ANY(${next(ids)})`);
  if (status !== undefined) conditions.push(`status = ANY(${next(status)})`);
  if (agent !== undefined) conditions.push(`agent = ${next(agent)}`);
  if (rootsOnly) conditions.push("parent_id IS NULL");
  if (before !== undefined) {
    conditions.push(
      `(created_at, id) < (SELECT created_at, id FROM ${s}.runs WHERE id = ${next(before)})`,
    );
  }
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const limit = next(filter.limit ?? defaultLimit);
  return { rest: `${where} ORDER BY created_at DESC, id DESC LIMIT ${limit}`, values, name };
}
