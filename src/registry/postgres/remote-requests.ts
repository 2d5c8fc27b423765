import { randomUUID } from "node:crypto";
import type { Clock } from "../../clock.ts";
import type { JsonValue } from "../../source/json.ts";
import type { Registry, RunRequest } from "../registry.ts";
import type { Notifications } from "./notifications.ts";
import type { Row } from "./connection/connections.ts";
import type { Database } from "./connection/database.ts";

/** Requests between processes, through the database. */
export interface RemoteRequests extends Pick<Registry, "request" | "requestsTo" | "onRequest"> {
  /** Delivers the requests to runs that this process has taken over. */
  deliverAll(): void;
  close(): void;
}

/** The options of {@link createRemoteRequests}. */
export interface RemoteRequestsOptions {
  schema: string;
  ownerId: string;
  changes: Pick<Notifications, "announce" | "listen">;
  clock: Pick<Clock, "scheduleIdly">;
}

/** The pause before an unanswered request is delivered again, in milliseconds. */
const retryDelayMs = 100;
/** The interval of the search for requests without a notification, in milliseconds. */
const pollMs = 1000;

/** Creates the requests in `database` for the owner `ownerId`. */
export function createRemoteRequests(
  database: Pick<Database, "query">,
  options: RemoteRequestsOptions,
): RemoteRequests {
  const { schema, changes, clock } = options;
  const deliveries = new Set<() => void>();
  let isClosed = false;
  const deliverAll = (): void => deliveries.forEach((deliver) => !isClosed && deliver());

  return {
    async request(runId, kind, data) {
      await database.query(
        `INSERT INTO ${schema}.requests (key, run_id, kind, data) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
        [randomUUID(), runId, kind, JSON.stringify(data)],
      );
      changes.announce("request");
    },
    async requestsTo(runId) {
      const rows = await database.query(
        `SELECT id, run_id, kind, data FROM ${schema}.requests WHERE run_id = $1 ORDER BY id`,
        [runId],
        { name: "requests" },
      );
      return rows.map(toRequest);
    },
    onRequest(handler) {
      const deliver = createDelivery(database, { ...options, handler, again: deliverAll });
      deliveries.add(deliver);
      changes.listen(["request"], deliverAll);
      const poll = (): void => {
        if (isClosed) return;
        deliverAll();
        clock.scheduleIdly(pollMs, poll);
      };
      clock.scheduleIdly(pollMs, poll);
    },
    deliverAll,
    close: () => void (isClosed = true),
  };
}

/** Creates a function that delivers the requests to runs of this process, each once until it is answered. */
function createDelivery(
  database: Pick<Database, "query">,
  {
    schema,
    ownerId,
    clock,
    handler,
    again,
  }: RemoteRequestsOptions & {
    handler: (request: RunRequest) => Promise<boolean>;
    again: () => void;
  },
): () => void {
  const underWay = new Set<number>();

  async function answer(request: RunRequest): Promise<void> {
    const { id } = request;
    underWay.add(id);
    try {
      // Removed only afterwards, so that the request survives if this process is killed while handling it.
      const isDone = await handler(request).catch(() => false);
      if (isDone) await database.query(`DELETE FROM ${schema}.requests WHERE id = $1`, [id]);
      else clock.scheduleIdly(retryDelayMs, again);
    } catch {
      // A request that could not be removed is delivered again.
    } finally {
      underWay.delete(id);
    }
  }

  async function deliver(): Promise<void> {
    const rows = await database.query(
      // An owner that lost its lease leaves the requests to the next owner.
      `SELECT requests.id, requests.run_id, kind, data FROM ${schema}.requests
        JOIN ${schema}.runs ON runs.id = run_id JOIN ${schema}.owners ON owners.id = runs.owner
        WHERE runs.owner = $1 ORDER BY requests.id`,
      [ownerId],
      { name: "mine", isGated: false },
    );
    for (const request of rows.map(toRequest)) {
      if (!underWay.has(request.id)) void answer(request);
    }
  }

  let isDelivering = false;
  let isDue = false;

  /** A worker that takes many families at once looks once for all that it takes in the meantime. */
  async function deliverInTurn(): Promise<void> {
    isDue = true;
    if (isDelivering) return;
    isDelivering = true;
    try {
      while (isDue) {
        isDue = false;
        await deliver();
      }
    } finally {
      isDelivering = false;
    }
  }

  // A lasting error shows at the next commit.
  return () => void deliverInTurn().catch(() => undefined);
}

function toRequest(row: Row): RunRequest {
  return {
    id: Number(row["id"]),
    runId: String(row["run_id"]),
    kind: row["kind"] as RunRequest["kind"],
    data: JSON.parse(String(row["data"])) as JsonValue,
  };
}
