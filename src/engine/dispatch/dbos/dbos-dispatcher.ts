// The dispatcher over DBOS Transact: a queue of workflows in PostgreSQL, one for each attempt to execute a family.

import type { Pool } from "pg";
import type {
  ConnectDispatcher,
  Dispatcher,
  ExecuteTask,
  QueueTask,
  WorkOptions,
} from "../dispatcher.ts";
import { queueTables, toQueueError } from "./queue-tables.ts";
import { createQueuePool } from "./queue-pool.ts";
import { type Dbos, loadDbos } from "./load-dbos.ts";
import { silent } from "./silent.ts";

const workflowName = "family";
/** How long the queue keeps tasks that have ended, in milliseconds. */
const keptMs = 3_600_000;
/** DBOS takes the lowest number first, from 0. */
const highestPriority = 100;
/** How often a worker looks for tasks, in milliseconds. */
const pollMs = 100;
/** The connections of one process to the tables of DBOS. */
const connections = 3;
/** All versions of Cadre share the queue. Admission decides which run a worker can continue; the version of the code does not. */
const applicationVersion = "cadre-1";

/** Connects to the queue in the tables of DBOS. */
export const openDbosQueue: ConnectDispatcher = async (address) => {
  const dbos = await loadDbos();
  const pool = await createQueuePool(address.url, { max: connections });
  const { schema, name } = queueTables(address);
  const client = await dbos.DBOSClient.create({
    systemDatabaseUrl: address.url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: schema,
    applicationName: "cadre",
    logger: silent,
  });
  const dispatcher = createDispatcher(dbos, { client, pool, address });
  try {
    // Finds missing tables before a run is recorded.
    await dispatcher.lost([{ rootId: "", attempt: 0 }], []);
  } catch (error) {
    await dispatcher.close();
    throw toQueueError(error, name);
  }
  return dispatcher;
};

interface Connected {
  client: Awaited<ReturnType<Dbos["DBOSClient"]["create"]>>;
  pool: Pool;
  address: { url: string; schema: string };
}

function createDispatcher(dbos: Dbos, { client, pool, address }: Connected): Dispatcher {
  let isWorking = false;
  return {
    async submit(task, { label, priority }) {
      await client.enqueue(
        {
          workflowName,
          queueName: queueOf(label),
          workflowID: idOf(task),
          appVersion: applicationVersion,
          priority: highestPriority - priority,
        },
        task.rootId,
        task.attempt,
      );
    },
    async lost(tasks, alive) {
      const found = await client.listWorkflows({
        workflowIDs: tasks.map(idOf),
        status: ["ENQUEUED", "PENDING", "DELAYED"],
        loadInput: false,
        loadOutput: false,
      });
      const isKept = (one: (typeof found)[number]): boolean =>
        one.status !== "PENDING" || alive.includes(one.executorId ?? "");
      const kept = new Set(found.filter(isKept).map(({ workflowID }) => workflowID));
      return tasks.filter((task) => !kept.has(idOf(task)));
    },
    async withdraw(tasks) {
      await client.cancelWorkflows(tasks.map(idOf));
    },
    async work(execute, options) {
      isWorking = true;
      await launch(dbos, { ...options, execute, pool, address });
    },
    async tidy() {
      const old = await client.listWorkflows({
        status: ["SUCCESS", "ERROR", "CANCELLED"],
        completedBefore: new Date(Date.now() - keptMs).toISOString(),
        limit: 1000,
        loadInput: false,
        loadOutput: false,
      });
      if (old.length > 0) await client.deleteWorkflows(old.map(({ workflowID }) => workflowID));
    },
    async rest(timeoutMs) {
      if (!isWorking) return;
      isWorking = false;
      await dbos.DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: timeoutMs });
    },
    async close() {
      if (isWorking) await dbos.DBOS.shutdown({ deregister: true });
      isWorking = false;
      await client.destroy();
      if (!pool.ended) await pool.end();
    },
  };
}

interface LaunchOptions extends WorkOptions, Omit<Connected, "client"> {
  execute: ExecuteTask;
}

/** Starts the process's only DBOS instance, which takes workflows from the queue of one label. */
async function launch({ DBOS }: Dbos, options: LaunchOptions): Promise<void> {
  const { execute, address, pool, workerId, label, concurrency } = options;
  DBOS.setConfig({
    name: "cadre",
    systemDatabaseUrl: address.url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: queueTables(address).schema,
    // Workers that start on an empty database at the same time would fail in its migrations. `cadre db migrate` executes them.
    runMigrations: false,
    useListenNotify: false,
    executorID: workerId,
    applicationVersion,
    listenQueues: [queueOf(label)],
    maxConcurrentQueueDispatches: 1,
    logger: silent,
  });
  DBOS.registerWorkflow(
    async (rootId: string, attempt: number) => await execute({ rootId, attempt }),
    { name: workflowName },
  );
  await DBOS.launch();
  await DBOS.registerQueue(queueOf(label), {
    workerConcurrency: concurrency,
    minPollingIntervalMs: pollMs,
    onConflict: "always_update",
  });
}

function idOf({ rootId, attempt }: QueueTask): string {
  return `${rootId}/${attempt}`;
}

function queueOf(label: string | null): string {
  return label === null ? "cadre" : `cadre/${label}`;
}
